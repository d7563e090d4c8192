/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: verbs_data: two sides that move bytes by every opcode and compare all
 *
 * The driver decides what is done next and the other side follows; a socket
 * between them carries struct msg both ways. Each side knows from the case
 * alone which bytes must be where, so both compare whole areas, guard zones
 * included.
 */
#ifndef _TUFF_SELFTESTS_DATA_H
#define _TUFF_SELFTESTS_DATA_H

#include "../lib/verbs.h"

#define MAX_SGE		8
#define MAX_MSGS	8
#define GUARD		64
#define GUARD_BYTE	0xc3
#define AREA_SIZE	(3 << 20)
#define GRH_LEN		40

enum op {
	OP_SEND, OP_SEND_IMM, OP_WRITE, OP_WRITE_IMM, OP_READ, OP_CAS, OP_FAA,
	OP_FENCE,
	NR_OPS
};

/* How a message lies in local memory. */
enum shape {
	SHAPE_ONE,		/* one piece */
	SHAPE_ODD,		/* one piece at an odd address */
	SHAPE_TWO,		/* a third and the rest, a gap between */
	SHAPE_MANY,		/* as many uneven pieces as there may be */
	SHAPE_BACK,		/* the same, from high to low addresses */
	SHAPE_EMPTY,		/* pieces of no bytes between the others */
	SHAPE_NONE,		/* no SGE at all; only for no bytes */
	NR_SHAPES
};

enum case_flags {
	CASE_INLINE	= 1 << 0,
	CASE_UNSIGNALLED = 1 << 1,	/* all but the last */
	CASE_SOLICITED	= 1 << 2,
};

enum cmd {
	CMD_OPEN, CMD_CASE, CMD_CHECK, CMD_BURST, CMD_DATAGRAMS, CMD_CLOSE,
	CMD_QUIT
};

/* One step: @nmsg messages of the same kind. */
struct vcase {
	uint32_t op;
	uint32_t size;
	uint32_t local;		/* enum shape at the driver */
	uint32_t remote;	/* enum shape of receives at the follower */
	uint32_t flags;
	uint32_t nmsg;
	uint64_t seed;
};

struct session {
	uint32_t type;		/* enum ibv_qp_type */
	uint32_t mtu;		/* enum ibv_mtu */
	uint32_t timeout;
	uint32_t max_inline;
	uint32_t no_reads;	/* nor atomics, in bursts, for poor peers */
};

struct msg {
	uint32_t cmd;
	int32_t err;
	struct session session;
	struct vt_addr addr;
	struct vcase c;
	uint64_t va[2];		/* of the areas, or of the case's target */
	uint32_t rkey[2];
	uint64_t count;
	char text[224];
};

/* Memory with a shadow that says how it must look. */
struct area {
	uint8_t *mem;
	uint8_t *image;
	struct ibv_mr *mr[2];	/* both cover all; pieces alternate */
};

/* Where the bytes of one message are. */
struct layout {
	struct ibv_sge sge[MAX_SGE + 1];
	int n;
};

struct side {
	struct vt_dev dev;
	struct vt_qp qp;
	struct ibv_ah *ah;	/* UD */
	struct vt_addr peer;
	struct session session;
	int fd;			/* the other side */
	struct area out;	/* what this side requests from or into */
	struct area in;		/* what the other side reaches */
	uint8_t *flat;		/* one message in a row */
	int max_sge;
	char why[224];		/* the first thing that was wrong */
};

/* area.c */
int area_init(struct area *area, struct vt_dev *dev);
void area_free(struct area *area);
void area_clear(struct area *area, size_t used);
size_t slot_size(uint32_t size);
void layout_make(struct layout *l, struct area *area, uint32_t shape,
		 uint32_t size, size_t slot, int max_sge);
void layout_write(const struct layout *l, struct area *area,
		  const uint8_t *bytes, bool memory);
int area_check(struct side *s, struct area *area, size_t used,
	       const char *what);
int fail(struct side *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* control.c */
int control_listen(const char *where);
int control_connect(const char *where);
int msg_send(int fd, const struct msg *m);
int msg_recv(int fd, struct msg *m);
int msg_call(int fd, struct msg *m);

/* case.c */
int case_drive(struct side *s, const struct vcase *c);
int case_prepare(struct side *s, const struct vcase *c, struct msg *reply);
int case_check(struct side *s, const struct vcase *c);
uint64_t case_seed(const struct vcase *c, unsigned int i);
const char *op_name(enum op op);

/* burst.c */
int burst_prepare(struct side *s, uint64_t seed, unsigned int ops);
int burst_run(struct side *s, uint64_t seed, unsigned int ops,
	      uint64_t va, uint32_t rkey);
int burst_check(struct side *s, uint64_t seed, unsigned int ops);

/* dgram.c: datagrams of which some may get lost */
int dgram_prepare(struct side *s, unsigned int n, uint32_t size);
int dgram_send(struct side *s, unsigned int n, uint32_t size);
int dgram_collect(struct side *s, unsigned int n, uint32_t size,
		  unsigned int *got);

/* session.c */
int side_init(struct side *s, const char *dev, const char *gid);
void side_exit(struct side *s);
int session_drive(struct side *s, const struct session *session);
void session_end(struct side *s);
int follow(struct side *s);

#endif /* _TUFF_SELFTESTS_DATA_H */
