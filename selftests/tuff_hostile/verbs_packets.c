// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_packets: a hostile network
 *
 *	verbs_packets -d DEV -P PEER -N NETNS -I NETDEV -M MAC
 *		[-n PACKETS] [-s SEED] [-1 SPARSENESS] [-T PATTERN]
 *	verbs_packets -d DEV refused
 *
 * DEV has the address 198.51.100.1; frames are sent from NETDEV in NETNS, the
 * other end of its wire, to MAC. Beside all of it DEV and PEER have traffic.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"
#include "kselftest.h"

static struct live *live;
static long nr_packets = 100000;
static uint64_t seed = 1;
static int sparse;
static const char *pattern = "", *dev, *peer;

static int sweep_free(void)
{
	return flood_sweep(NULL, sparse);
}

static int sweep_live(void)
{
	int err = flood_sweep("live RC", sparse);

	if (!err)
		err = flood_sweep("live UC", true);
	if (!err)
		err = flood_sweep("live UD", true);
	return err ? err : flood_sweep("GSI", true);
}

static int sweep_open(void)
{
	int err = flood_sweep("open RC", sparse);

	if (!err)
		err = flood_sweep("open UC", sparse);
	return err ? err : flood_sweep("open UD", sparse);
}

static int sweep_states(void)
{
	int i, err = 0;

	for (i = 0; i < nr_targets && !err; i++)
		if (targets[i].qp && !targets[i].open)
			err = flood_sweep(targets[i].name, true);
	return err;
}

static int too_big(void)
{
	return forged_too_big(dev, peer);
}

static int mutations(void)
{
	return flood_mutations(nr_packets, seed, live);
}

static int layers(void)
{
	return flood_layers(nr_packets / 5, seed + 1, live);
}

static int mads(void)
{
	return flood_mads(nr_packets / 50 + 200, seed + 2);
}

static const struct {
	const char *name;
	int (*run)(void);
} tests[] = {
	{ "each field wrong, each bit turned, to every queue pair",
	  layers_fields },
	{ "fragments", layers_fragments },
	{ "IP options and extension headers", layers_options },
	{ "VLANs, known and unknown, nested", layers_vlans },
	{ "lengths that disagree", layers_lengths },
	{ "forged ACKs, NAKs and CNPs", forged_answers },
	{ "replayed, old and future requests", forged_replays },
	{ "forged ICMP errors", forged_icmp },
	{ "forged ICMPv6 errors: packet too big", too_big },
	{ "every opcode, length and pad: QP numbers that nobody has",
	  sweep_free },
	{ "every opcode, length and pad: somebody else's queue pairs, GSI",
	  sweep_live },
	{ "every opcode, length and pad: from the peer", sweep_open },
	{ "every opcode, some lengths: every type in every state",
	  sweep_states },
	{ "mutations of captured packets", mutations },
	{ "mutations of IP and UDP headers, options, VLANs", layers },
	{ "management datagrams of noise", mads },
};

static void run_one(size_t i)
{
	uint64_t from = vt_now_ms();
	unsigned long sent = forge_sent();
	int err = tests[i].run();

	sent = forge_sent() - sent;
	ksft_print_msg("%lu packets in %llu ms\n", sent,
		       (unsigned long long)(vt_now_ms() - from));
	if (err)
		ksft_print_msg("%s\n", strerror(-err));
	if (!err && live_good(live))
		err = -1;
	ksft_test_result(!err, "%s\n", tests[i].name);
}

/* What the kernel says from here on. */
static int log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/*
 * A packet must not make it say anything: that would be a flood, too. ib_core
 * complains of management datagrams, ten times in five seconds at most.
 */
static int log_silent(int fd)
{
	char line[8192];
	ssize_t len;
	int said = 0;

	while ((len = read(fd, line, sizeof(line) - 1)) > 0) {
		line[len] = 0;
		if (strstr(line, "ib_core: MAD received with unsupported"))
			continue;
		ksft_print_msg("kernel: %s\n", line);
		said = 1;
	}
	return said || fd < 0;
}

static void run_all(void)
{
	int log = log_open();
	unsigned long rounds;
	size_t i;
	int err;

	err = targets_open(dev, live);
	if (err)
		ksft_exit_fail_msg("targets: %s\n", strerror(-err));
	for (i = 0; i < ARRAY_LEN(tests); i++)
		if (strstr(tests[i].name, pattern))
			run_one(i);
	err = live_end(live, &rounds);
	ksft_print_msg("%lu packets sent; %lu rounds of traffic beside them\n",
		       forge_sent(), rounds);
	ksft_test_result(!err, "traffic of others is byte-exact throughout\n");
	targets_close();
	ksft_test_result(!log_silent(log), "the kernel's log is silent\n");
	ksft_finished();
}

int main(int argc, char **argv)
{
	const char *ns = NULL, *ndev = NULL, *mac = NULL;
	size_t i, n = 2;
	int c, err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "d:P:N:I:M:n:s:1:T:")) != -1) {
		switch (c) {
		case 'd':
			dev = optarg;
			break;
		case 'P':
			peer = optarg;
			break;
		case 'N':
			ns = optarg;
			break;
		case 'I':
			ndev = optarg;
			break;
		case 'M':
			mac = optarg;
			break;
		case 'n':
			nr_packets = atol(optarg);
			break;
		case 's':
			seed = atol(optarg);
			break;
		case '1':
			sparse = atoi(optarg);
			break;
		case 'T':
			pattern = optarg;
			break;
		}
	}
	if (dev && optind < argc && !strcmp(argv[optind], "refused")) {
		err = refused_peer(dev);
		if (err)
			printf("%s\n", strerror(-err));
		return !!err;
	}
	if (!dev || !peer || !ns || !ndev || !mac)
		return 2;
	ksft_print_header();
	for (i = 0; i < ARRAY_LEN(tests); i++)
		n += !!strstr(tests[i].name, pattern);
	ksft_set_plan(n);
	live = live_start(dev, peer);
	if (!live)
		ksft_exit_fail_msg("no traffic\n");
	err = forge_open(ns, ndev, mac);
	if (err)
		ksft_exit_fail_msg("packet socket: %s\n", strerror(-err));
	run_all();
}
