// SPDX-License-Identifier: GPL-2.0
/* tuff: the rings of this process, and their doorbell, by hand */
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rings.h"

/* Mappings of the device's file are rings. Returns how many there are. */
int rings_find(struct ring rings[MAX_RINGS])
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	int n = 0;

	while (f && n < MAX_RINGS && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "/uverbs") ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		rings[n].q = (void *)from;
		rings[n++].len = to - from;
	}
	if (f)
		fclose(f);
	return n;
}

int ring_command(struct ibv_context *ctx, uint32_t number, void *cmd,
		 size_t len)
{
	struct ib_uverbs_cmd_hdr *hdr = cmd;
	char out[64];

	/* The response pointer is the first field of each of these. */
	*(uint64_t *)(hdr + 1) = (uintptr_t)out;
	hdr->command = number;
	hdr->in_words = len / 4;
	hdr->out_words = sizeof(out) / 4;
	return write(ctx->cmd_fd, cmd, len) == (ssize_t)len ? 0 : errno;
}

int ring_doorbell(struct ibv_qp *qp)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
	} p = { .cmd = { .qp_handle = qp->handle,
			 .wqe_size = sizeof(struct ib_uverbs_send_wr) } };

	return ring_command(qp->context, IB_USER_VERBS_CMD_POST_SEND, &p,
			    sizeof(p));
}
