/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: verbs_packets: packets that nobody should send, and what becomes of
 * them
 *
 * Three parts that know nothing of each other: forge.c makes frames and puts
 * them on the wire in the other namespace; judge.c reads a frame's bytes as
 * the specification does and says under which name it has to be counted;
 * targets.c has the queue pairs they are for. What was sent is held against
 * the device's counters, reason by reason.
 */
#ifndef _TUFF_SELFTESTS_HOSTILE_H
#define _TUFF_SELFTESTS_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/live.h"
#include "../lib/verbs.h"

#define ROCE_PORT	4791
#define FRAME_MAX	2048
#define BTH_LEN		12
#define ICRC_LEN	4
#define QKEY		0x11111111
#define GSI_QKEY	0x80010000
#define MULTICAST_QPN	0xffffff

enum { OP_RC = 0x00, OP_UC = 0x20, OP_UD = 0x60, OP_CNP = 0x81 };
enum {
	OP_SEND_ONLY	= 0x04,
	OP_WRITE_ONLY	= 0x0a,
	OP_READ_REQUEST	= 0x0c,
	OP_READ_FIRST	= 0x0d,
	OP_ACK		= 0x11,
	OP_ATOMIC_ACK	= 0x12,
	OP_FETCH_ADD	= 0x14,
};

/* Why a packet ends; in the order in which the receiver looks. */
enum why {
	WHY_KERNEL,	/* before it is ours: IP or UDP drop it */
	WHY_FRAGMENT,
	WHY_IP_HEADER,
	WHY_LENGTH,
	WHY_TRUNCATED,
	WHY_OPCODE,
	WHY_VERSION,
	WHY_PAD,
	WHY_ICRC,
	WHY_MULTICAST,
	WHY_NO_QP,
	WHY_CNP,
	WHY_TRANSPORT,
	WHY_STATE,
	WHY_PKEY,
	WHY_QKEY,
	WHY_SOURCE,
	WHY_OPEN,	/* it comes from the peer: up to its PSN and so on */
	NR_WHY,
};

extern const char * const why_names[NR_WHY];

/* A packet to be made; forge() writes it out. */
struct packet {
	bool v6;
	uint8_t src[16], dst[16];	/* 4 bytes of each for IPv4 */
	int nr_vlans;
	uint16_t vlan[2];
	uint16_t sport, udp_sum;
	uint8_t tos, ttl;
	uint16_t frag;			/* IPv4's word of flags and offset */
	int options;			/* words; IPv6: extension headers */
	int udp_less;			/* UDP length is so much less than IP's */
	uint8_t spoil;			/* xored into the ICRC */
	int len;			/* of @tp */
	uint8_t tp[1600];		/* BTH to pad */
};

/* A queue pair that packets may be for. */
struct target {
	const char *name;
	uint32_t qpn;
	enum ibv_qp_type type;
	bool gsi;
	enum ibv_qp_state state;
	bool v6;
	uint8_t peer[16], own[16];	/* addresses; not of UD */
	uint32_t qkey;
	struct vt_qp *qp;		/* NULL: somebody else's */
	bool open;			/* its peer is the sender */
	uint32_t psn;			/* the one it expects */
};

/* forge.c */
int forge_open(const char *netns, const char *netdev, const char *to_mac);
uint32_t crc32_add(uint32_t crc, const void *p, size_t len);
int forge(const struct packet *p, uint8_t *frame);
void forge_bth(struct packet *p, uint8_t opcode, uint32_t qpn, uint32_t psn,
	       int len);
void forge_ip_sum(uint8_t *ip);
uint8_t *forge_ether(uint8_t *frame, uint16_t type);
int forge_queue(const uint8_t *frame, int len);
int forge_send(const struct packet *p);
int forge_flush(void);
int forge_capture(uint8_t frames[][FRAME_MAX], int *lens, int n, int ms);
unsigned long forge_sent(void);

/* judge.c */
enum why judge(const uint8_t *frame, int len, const struct target *targets,
	       int nr_targets);
int header_length(uint8_t opcode);

/* targets.c */
extern struct target targets[64];
extern int nr_targets;
extern struct packet blank;	/* from the attacker to the device */
extern const uint8_t attacker4[4], device4[4], stranger4[4];
int targets_open(const char *dev, struct live *live);
struct target *target_find(const char *name);
int targets_unharmed(void);
int targets_revive(void);
int target_restart(struct target *t);
int refused_peer(const char *dev);
void targets_close(void);
extern struct vt_dev device;
extern uint8_t *open_mem;
extern struct ibv_mr *open_mr, *locked_mr;

/* account.c */
struct account {
	long before[NR_WHY];
	long sent[NR_WHY];
	long total;
};

void account_begin(struct account *a);
void account_add(struct account *a, const struct packet *p);
void account_frame(struct account *a, const uint8_t *frame, int len);
int account_check(struct account *a);
long account_grown(struct account *a, enum why why);

/* flood.c, layers.c, forgery.c: the tests; 0 or negative errno */
int flood_sweep(const char *name, bool sparse);
int flood_mutations(long n, uint64_t seed, struct live *live);
int flood_layers(long n, uint64_t seed, struct live *live);
int flood_mads(int n, uint64_t seed);
int layers_fragments(void);
int layers_options(void);
int layers_vlans(void);
int layers_lengths(void);
int layers_fields(void);
int forged_answers(void);
int forged_replays(void);
int forged_icmp(void);
int forged_too_big(const char *dev, const char *peer);

#endif /* _TUFF_SELFTESTS_HOSTILE_H */
