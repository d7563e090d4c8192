// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_data: datagrams and UC messages over a network that loses some
 *
 * Each message carries its number and bytes that follow from it. What arrives
 * must be whole and right, in order for UC; how many arrive is reported.
 */
#include "data.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#define SLOT		8192
#define MAX_DGRAMS	200

static uint64_t dgram_seed(uint32_t number)
{
	return 0x5eed0000ULL + number;
}

static uint32_t dgram_skip(struct side *s)
{
	return s->session.type == IBV_QPT_UD ? GRH_LEN : 0;
}

int dgram_prepare(struct side *s, unsigned int n, uint32_t size)
{
	unsigned int i;
	int err;

	if (n > MAX_DGRAMS || size + GRH_LEN > SLOT)
		return fail(s, "too many or too large");
	area_clear(&s->in, n * SLOT);
	for (i = 0; i < n; i++) {
		struct ibv_sge sge = {
			.addr = (uintptr_t)s->in.mem + i * SLOT,
			.length = size + dgram_skip(s),
			.lkey = s->in.mr[0]->lkey,
		};

		err = vt_post_recv(&s->qp, i, &sge, 1);
		if (err)
			return fail(s, "post_recv: %s", strerror(-err));
	}
	return 0;
}

int dgram_send(struct side *s, unsigned int n, uint32_t size)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED, .num_sge = 1,
	};
	struct ibv_sge sge = {
		.length = size, .lkey = s->out.mr[0]->lkey,
	};
	struct ibv_wc wc;
	unsigned int i;

	wr.sg_list = &sge;
	for (i = 0; i < n; i++) {
		sge.addr = (uintptr_t)s->out.mem + i * SLOT;
		vt_fill(s->out.mem + i * SLOT, size, dgram_seed(i));
		wr.wr_id = i;
		wr.imm_data = htonl(i);
		if (s->session.type == IBV_QPT_UD) {
			wr.wr.ud.ah = s->ah;
			wr.wr.ud.remote_qpn = s->peer.qpn;
			wr.wr.ud.remote_qkey = VT_QKEY;
		}
		if (ibv_post_send(s->qp.qp, &wr, &bad))
			return fail(s, "post %u failed", i);
		if (vt_poll_status(s->qp.scq, &wc, IBV_WC_SUCCESS, VT_MS(10)))
			return fail(s, "datagram %u: %s", i,
				    ibv_wc_status_str(wc.status));
	}
	return 0;
}

static int dgram_check(struct side *s, const struct ibv_wc *wc, uint32_t size,
		       int *last, bool *seen)
{
	int number = ntohl(wc->imm_data);
	const uint8_t *at = s->in.mem + wc->wr_id * SLOT + dgram_skip(s);

	if (wc->status != IBV_WC_SUCCESS ||
	    wc->byte_len != size + dgram_skip(s) ||
	    number < 0 || number >= MAX_DGRAMS)
		return fail(s, "%s, %u bytes, number %d",
			    ibv_wc_status_str(wc->status), wc->byte_len,
			    number);
	if (s->session.type == IBV_QPT_UC && number <= *last)
		return fail(s, "message %d after %d", number, *last);
	if (s->session.type == IBV_QPT_UC && seen[number])
		return fail(s, "message %d twice", number);
	seen[number] = true;
	*last = number;
	vt_fill(s->flat, size, dgram_seed(number));
	if (memcmp(s->flat, at, size))
		return fail(s, "message %d: wrong bytes", number);
	return 0;
}

/* All was sent: take what has come until it has been quiet for a while. */
int dgram_collect(struct side *s, unsigned int n, uint32_t size,
		  unsigned int *got)
{
	bool seen[MAX_DGRAMS] = {};
	int last = -1, err;
	struct ibv_wc wc;

	*got = 0;
	while (*got < n && vt_poll(s->qp.rcq, &wc, 1, 300) == 1) {
		err = dgram_check(s, &wc, size, &last, seen);
		if (err)
			return err;
		++*got;
	}
	return 0;
}
