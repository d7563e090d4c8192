/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: one queue pair of the tiny world, for tests of the protocol */
#ifndef _TUFF_TESTS_PROTO_KUNIT_H
#define _TUFF_TESTS_PROTO_KUNIT_H

#include <kunit/test.h>

#include "engine/aeth.h"
#include "engine/opcode.h"
#include "engine/qp.h"
#include "engine/wqe.h"
#include "world_kunit.h"

#define PROTO_MTU	256
#define PROTO_KEY	0x77		/* region with all access */
#define PROTO_KEY_RO	0x88		/* the same memory, read only */
#define PROTO_KEY_GONE	0x99		/* found, but nothing is behind it */
#define PROTO_BASE	0x10000ULL
#define PROTO_SIZE	8192
#define PROTO_QPN	0x11
#define PROTO_PEER	0x22
#define PROTO_RQ_PSN	0x000100	/* first expected request */
#define PROTO_SQ_PSN	0xfffff8	/* first sent request: wraps soon */
#define PROTO_REPLAYS	4

/**
 * struct tuff_proto - a queue pair under test, in RTS
 * @test: the running case
 * @qp: path MTU 256, all operations enabled
 * @replay: its responder resources
 * @bytes: memory of the regions
 * @packet: room for one received packet
 * @next: headers of the next packet that proto_receive() makes
 */
struct tuff_proto {
	struct kunit *test;
	struct tuff_qp qp;
	struct tuff_replay replay[PROTO_REPLAYS];
	u8 bytes[PROTO_SIZE];
	u8 packet[4096 + 64];
	struct tuff_hdr next;
};

int proto_init(struct kunit *test);
void proto_exit(struct kunit *test);
struct tuff_proto *proto_new(struct kunit *test, u8 type);

/* Through RESET to RTS again, nothing posted, logs and memory cleared. */
void proto_restart(struct tuff_proto *p);

/* Posted to the world: a request of @len bytes at the start of the memory. */
struct tuff_swqe *proto_post(struct tuff_proto *p, u8 opcode, u32 len);
struct tuff_rwqe *proto_post_recv(struct tuff_proto *p, u32 len);

/* A packet comes in, of @len payload bytes 1, 2, 3 ..; headers are p->next. */
void proto_receive(struct tuff_proto *p, u8 opcode, u32 psn, u32 len);

/* An acknowledgement comes in. */
void proto_receive_ack(struct tuff_proto *p, u32 psn, u8 syndrome);

/* The events since tuff_kunit_forget(): this one and no other? */
bool proto_only_event(enum tuff_event event);

/* Run until there is nothing more to do at once. */
void proto_run(struct tuff_proto *p);

/* Let time pass until the engine's timer fires, and run. False: not armed. */
bool proto_timer(struct tuff_proto *p);

/* Packet, completion @i since tuff_kunit_forget(); never NULL. */
const struct tuff_kunit_tx *proto_tx(struct tuff_proto *p, u32 i);
const struct tuff_cqe *proto_cqe(struct tuff_proto *p, u32 i);

#endif /* _TUFF_TESTS_PROTO_KUNIT_H */
