// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_data: every opcode, size border, path MTU and SGE shape, with
 * every byte compared; one TAP line per group of cases
 *
 *	verbs_data -d DEV -P PEERDEV		both sides in this process
 *	verbs_data -d DEV -l ADDRESS:PORT	follow what the driver says
 *	verbs_data -d DEV -c ADDRESS:PORT	drive
 */
#include "data.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"

#define MAX_GROUPS	160

enum kind { KIND_SIZES, KIND_SHAPES, KIND_FLAGS, KIND_BURST, KIND_DGRAM };

struct group {
	enum kind kind;
	enum ibv_qp_type type;
	enum ibv_mtu mtu;
	enum op op;
};

static struct options {
	const char *dev, *gid, *peer_dev, *peer_gid, *listen, *connect;
	const char *types, *mtus, *kinds;
	unsigned int bursts, datagrams, timeout;
	uint64_t seed;
	bool quick, no_reads;
} opt = {
	.gid = "v4", .types = "rc,uc,ud", .mtus = "256,512,1024,2048,4096",
	.kinds = "sizes,shapes,flags,burst", .bursts = 10, .datagrams = 100,
	.timeout = 14, .seed = 1,
};

static struct group groups[MAX_GROUPS];
static int nr_groups;

/* Is @word one of the comma separated words of @list? */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *p;

	for (p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, word, len) && (!p[len] || p[len] == ','))
			return true;
	return false;
}

static bool op_valid(enum ibv_qp_type type, enum op op)
{
	return type == IBV_QPT_RC ||
	       (type == IBV_QPT_UC && op <= OP_WRITE_IMM) ||
	       op <= OP_SEND_IMM;
}

static void group_add(enum kind kind, enum ibv_qp_type type,
		      enum ibv_mtu mtu, enum op op)
{
	if (nr_groups < MAX_GROUPS)
		groups[nr_groups++] = (struct group){ kind, type, mtu, op };
}

static void plan_type(struct side *s, enum ibv_qp_type type)
{
	enum ibv_mtu top = s->dev.port.active_mtu;
	enum ibv_mtu mtu = type == IBV_QPT_UD ? top : IBV_MTU_256;
	char word[8];
	int op;

	for (; mtu <= top; mtu++) {
		snprintf(word, sizeof(word), "%u", 128u << mtu);
		if (type != IBV_QPT_UD && !listed(opt.mtus, word))
			continue;
		for (op = 0; op < NR_OPS; op++)
			if (op_valid(type, op) && listed(opt.kinds, "sizes"))
				group_add(KIND_SIZES, type, mtu, op);
		if (type == IBV_QPT_RC && listed(opt.kinds, "burst"))
			group_add(KIND_BURST, type, mtu, 0);
		if (type != IBV_QPT_RC && listed(opt.kinds, "datagrams"))
			group_add(KIND_DGRAM, type, mtu, 0);
	}
	for (op = 0; op < NR_OPS; op++) {
		if (!op_valid(type, op) || op == OP_CAS || op == OP_FAA)
			continue;
		if (listed(opt.kinds, "shapes"))
			group_add(KIND_SHAPES, type, top, op);
		if (listed(opt.kinds, "flags") && op <= OP_WRITE_IMM)
			group_add(KIND_FLAGS, type, top, op);
	}
}

static int run_case(struct side *s, struct vcase *c, char *where, size_t len)
{
	int err;

	c->seed = ++opt.seed;
	err = case_drive(s, c);
	if (err)
		snprintf(where, len, "%u bytes, %u messages, shapes %u/%u, flags %#x, seed %llu",
			 c->size, c->nmsg, c->local, c->remote, c->flags,
			 (unsigned long long)c->seed);
	return err;
}

static int run_sizes(struct side *s, const struct group *g, char *where,
		     size_t len)
{
	uint32_t mtu = 128u << g->mtu;
	const uint32_t full[] = { 0, 1, 3, 4, mtu - 1, mtu, mtu + 1,
		2 * mtu - 1, 2 * mtu + 1, 65537, 1 << 20 };
	unsigned int n = opt.quick ? 9 : ARRAY_LEN(full), i;
	int err;

	for (i = 0; i < n; i++) {
		struct vcase c = {
			.op = g->op, .size = full[i],
			.local = (i + g->op) % SHAPE_NONE,
			.remote = (i + g->mtu) % SHAPE_NONE,
			.nmsg = full[i] <= 8200 ? 4 : 1,
		};

		if (g->op == OP_CAS || g->op == OP_FAA) {
			if (i > 3)
				break;
			c.size = 8;
			c.local = SHAPE_ONE;
		}
		if (g->type == IBV_QPT_UD && c.size > mtu)
			break;
		err = run_case(s, &c, where, len);
		if (err)
			return err;
	}
	return 0;
}

static int run_shapes(struct side *s, const struct group *g, char *where,
		      size_t len)
{
	uint32_t mtu = 128u << g->mtu;
	const uint32_t sizes[] = { 0, 1, 100, mtu, 2 * mtu + 5 };
	unsigned int shape, i;
	int err;

	for (shape = 0; shape < NR_SHAPES; shape++) {
		for (i = 0; i < ARRAY_LEN(sizes); i++) {
			struct vcase c = {
				.op = g->op, .size = sizes[i],
				.local = shape,
				.remote = (shape * 3 + i) % NR_SHAPES,
				.nmsg = 2,
			};

			if (g->type == IBV_QPT_UD && c.size > mtu)
				continue;
			err = run_case(s, &c, where, len);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Inline, unsignalled and solicited, alone and together. */
static int run_flags(struct side *s, const struct group *g, char *where,
		     size_t len)
{
	uint32_t top = s->session.max_inline;
	const uint32_t sizes[] = { 0, 1, 7, 64, top };
	unsigned int flags, i;
	int err;

	for (flags = 0; flags < 8; flags++) {
		for (i = 0; i < ARRAY_LEN(sizes); i++) {
			struct vcase c = {
				.op = g->op, .size = sizes[i],
				.local = (flags + i) % SHAPE_NONE,
				.remote = i % SHAPE_NONE,
				.flags = flags, .nmsg = 5,
			};

			err = run_case(s, &c, where, len);
			if (err)
				return err;
		}
	}
	return 0;
}

static int drive_burst(struct side *s, uint64_t seed, unsigned int ops)
{
	struct msg m = { .cmd = CMD_BURST, .count = ops };
	int err;

	s->why[0] = '\0';
	err = burst_prepare(s, seed + 1, ops);
	if (err)
		return err;
	m.c.seed = seed;
	m.va[0] = (uintptr_t)s->in.mem;
	m.rkey[0] = s->in.mr[0]->rkey;
	if (msg_call(s->fd, &m) || m.err)
		return fail(s, "peer: %s", m.text);
	err = burst_run(s, seed, ops, m.va[0], m.rkey[0]);
	if (msg_recv(s->fd, &m) || msg_send(s->fd, &m))
		return fail(s, "peer is gone");
	if (!err)
		err = burst_check(s, seed + 1, ops);
	if (msg_recv(s->fd, &m))
		return fail(s, "peer is gone");
	if (m.err)
		return fail(s, "peer: %s", m.text);
	return err;
}

static int run_burst(struct side *s, const struct group *g, char *where,
		     size_t len)
{
	unsigned int i;
	int err;

	for (i = 0; i < opt.bursts; i++) {
		opt.seed += 2;
		err = drive_burst(s, opt.seed, 96);
		if (err) {
			snprintf(where, len, "burst %u, path MTU %u, seed %llu",
				 i, 128u << g->mtu,
				 (unsigned long long)opt.seed);
			return err;
		}
	}
	return 0;
}

static int run_dgram(struct side *s, const struct group *g, char *where,
		     size_t len)
{
	struct msg m = { .cmd = CMD_DATAGRAMS, .count = opt.datagrams };
	uint32_t mtu = 128u << g->mtu;

	m.c.size = g->type == IBV_QPT_UD ? mtu - 5 : mtu + 5;
	s->why[0] = '\0';
	if (msg_call(s->fd, &m) || m.err)
		return fail(s, "peer: %s", m.text);
	if (dgram_send(s, opt.datagrams, m.c.size))
		return -EPROTO;
	if (msg_call(s->fd, &m))
		return fail(s, "peer is gone");
	snprintf(where, len, "%u of %u arrived", (unsigned int)m.count,
		 opt.datagrams);
	ksft_print_msg("%s: %s\n", vt_type_name(g->type), where);
	if (m.err)
		return fail(s, "peer: %s", m.text);
	/* UC drops a message for every packet that comes out of order. */
	if (m.count < opt.datagrams / (g->type == IBV_QPT_UC ? 32 : 4))
		return fail(s, "hardly anything arrived");
	return 0;
}

static void run_group(struct side *s, const struct group *g)
{
	static const char * const kinds[] = {
		"sizes", "shapes", "flags", "bursts", "datagrams",
	};
	struct session session = {
		.type = g->type, .mtu = g->mtu, .timeout = opt.timeout,
		.max_inline = 256, .no_reads = opt.no_reads,
	};
	struct msg m = { .cmd = CMD_CLOSE };
	char where[160] = "opening";
	int err;

	err = session_drive(s, &session);
	if (!err) {
		switch (g->kind) {
		case KIND_SIZES:
			err = run_sizes(s, g, where, sizeof(where));
			break;
		case KIND_SHAPES:
			err = run_shapes(s, g, where, sizeof(where));
			break;
		case KIND_FLAGS:
			err = run_flags(s, g, where, sizeof(where));
			break;
		case KIND_BURST:
			err = run_burst(s, g, where, sizeof(where));
			break;
		case KIND_DGRAM:
			err = run_dgram(s, g, where, sizeof(where));
			break;
		}
	}
	if (err)
		ksft_print_msg("%s: %s\n", where, s->why);
	if (msg_call(s->fd, &m))
		ksft_exit_fail_msg("the peer is gone\n");
	session_end(s);
	ksft_test_result(!err, "%s %s %s mtu %u\n", vt_type_name(g->type),
			 g->kind >= KIND_BURST ? "all" : op_name(g->op),
			 kinds[g->kind], 128u << g->mtu);
}

/* Both sides here: the follower is a child with a device of its own. */
static int fork_follower(void)
{
	struct side peer = {};
	int fd[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid) {
		close(fd[1]);
		return fd[0];
	}
	close(fd[0]);
	peer.fd = fd[1];
	err = side_init(&peer, opt.peer_dev, opt.peer_gid ? opt.peer_gid :
							    opt.gid);
	if (err) {
		fprintf(stderr, "# %s: %s\n", opt.peer_dev, strerror(-err));
		_exit(1);
	}
	err = follow(&peer);
	session_end(&peer);
	side_exit(&peer);
	_exit(err ? 1 : 0);
}

static void usage(void)
{
	fprintf(stderr,
		"%s -d DEV [-g GID] {-P DEV [-G GID] | -l ADDR:PORT | -c ADDR:PORT}\n"
		"  [-t rc,uc,ud] [-m MTU,...] [-k sizes,shapes,flags,burst,datagrams]\n"
		"  [-b BURSTS] [-n DATAGRAMS] [-T TIMEOUT] [-s SEED] [-q] [-R]\n",
		program_invocation_short_name);
	exit(2);
}

static bool parse_string(int c, const char *arg)
{
	const struct {
		char c;
		const char **where;
	} options[] = {
		{ 'd', &opt.dev }, { 'g', &opt.gid }, { 'P', &opt.peer_dev },
		{ 'G', &opt.peer_gid }, { 'l', &opt.listen },
		{ 'c', &opt.connect }, { 't', &opt.types },
		{ 'm', &opt.mtus }, { 'k', &opt.kinds },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(options); i++) {
		if (options[i].c == c) {
			*options[i].where = arg;
			return true;
		}
	}
	return false;
}

static bool parse_number(int c, const char *arg)
{
	switch (c) {
	case 'b':
		opt.bursts = atoi(arg);
		return true;
	case 'n':
		opt.datagrams = atoi(arg);
		return true;
	case 'T':
		opt.timeout = atoi(arg);
		return true;
	case 's':
		opt.seed = strtoull(arg, NULL, 0);
		return true;
	case 'q':
		opt.quick = true;
		return true;
	case 'R':
		opt.no_reads = true;
		return true;
	default:
		return false;
	}
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:P:g:G:l:c:t:m:k:b:n:T:s:qR")) != -1) {
		if (!parse_string(c, optarg) && !parse_number(c, optarg))
			usage();
	}
	if (!opt.dev || !opt.peer_dev + !opt.listen + !opt.connect != 2)
		usage();
}

static int drive(struct side *s)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD,
	};
	static const char * const names[] = { "rc", "uc", "ud" };
	struct msg m = { .cmd = CMD_QUIT };
	unsigned int i;
	int status = 0;

	for (i = 0; i < ARRAY_LEN(types); i++)
		if (listed(opt.types, names[i]))
			plan_type(s, types[i]);
	ksft_print_header();
	ksft_set_plan(nr_groups);
	for (i = 0; i < (unsigned int)nr_groups; i++)
		run_group(s, &groups[i]);
	msg_send(s->fd, &m);
	side_exit(s);
	if (opt.peer_dev)
		wait(&status);
	if (status)
		ksft_print_msg("the other side ended with %#x\n", status);
	ksft_finished();
}

int main(int argc, char **argv)
{
	struct side s = {};
	int err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	s.fd = opt.peer_dev ? fork_follower() :
	       opt.connect ? control_connect(opt.connect) : 0;
	err = s.fd < 0 ? s.fd : side_init(&s, opt.dev, opt.gid);
	if (err) {
		fprintf(stderr, "# verbs_data: %s: %s\n", opt.dev,
			strerror(-err));
		return 1;
	}
	if (!opt.listen)
		return drive(&s);
	s.fd = control_listen(opt.listen);
	if (s.fd < 0) {
		fprintf(stderr, "# verbs_data: %s: %s\n", opt.listen,
			strerror(-s.fd));
		return 1;
	}
	err = follow(&s);
	session_end(&s);
	side_exit(&s);
	return err ? 1 : 0;
}
