/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the two halves of a connection, requester and responder */
#ifndef _TUFF_ENGINE_HALVES_H
#define _TUFF_ENGINE_HALVES_H

#include <linux/types.h>

#include "tuff.h"

/* What the requester waits for before anything more is sent. */
enum tuff_requester_state {
	TUFF_REQUESTER_READY,	/* may send what the window allows */
	TUFF_REQUESTER_RNR,	/* until TUFF_TIMER_RNR */
};

/* A packet that is sent again, but not those behind it; see retransmit.c. */
enum tuff_mend {
	TUFF_MEND_NONE,
	TUFF_MEND_ALONE,	/* the missing one */
	TUFF_MEND_TAIL,		/* behind it the last one, to see what comes back */
};

/**
 * struct tuff_requester - sending half of a connection, and its completer
 * @state: what it waits for
 * @retry_left: timeouts and sequence errors before it gives up
 * @rnr_left: RNR NAKs before it gives up (7: for ever)
 * @nr_rd_atomic: READ and ATOMIC requests without their whole answer
 * @draining: SQ_DRAINED is owed (modify to SQD asked for the event)
 * @una: PSN of the oldest unanswered packet
 * @nxt: PSN of the next packet to send; behind @max while retransmitting
 * @max: one past the highest PSN ever sent
 * @end: one past the last PSN given to a work request
 * @cur: work request that holds @nxt, NULL when all that was fetched is sent
 * @nr_lent: requests that the peer's QP on this host has just now
 * @loop: requests go to the peer's QP itself; changes only when nothing is
 *	unanswered, so that packets and lent requests do not overtake each other
 * @no_loop: none may be lent: somebody waits for @nr_lent to become 0
 * @window: packets that may be unanswered, see window.c
 * @threshold: beyond it @window grows slowly
 * @since_ackreq: packets sent since the last one with AckReq
 * @naked: a NAK or implied NAK for @una was acted on: further ones are the
 *	same news until @una moves
 * @probes: of @una, see tuff_retransmit_probe()
 * @trust: how sure it is that the peer keeps what comes early, see
 *	mend.c; 0 = it does not
 * @mend: &enum tuff_mend, what the packet at @nxt is
 * @mends: how often the packet at @una went alone
 * @losses: NAKs that were acted on while there was no @trust
 * @mended: a packet was sent alone, and is not answered yet
 * @recovering: the window was made smaller for a gap, and @una has not
 *	passed @recover yet
 * @mended_end: one past the packet that went alone
 * @last: PSN of the last packet sent, not counting what was sent again
 * @recover: @max when the window was made smaller
 * @gap_psn: an answer for it came while @una was missing
 * @rnr_ns: since when the receiver has not been ready, 0 = it was
 * @mended_ns: when a packet was sent alone
 * @reread_ns: READs were asked for anew then, ns: not again before a round trip
 * @refused_ns: since when transmit has had no room for the packet at @nxt; 0 =
 *	it has
 * @clocked_psn: packet whose answer is awaited, see rtt.c
 * @clocked_ns: when it was sent; 0 = none is clocked
 * @rtt_ns: round trip, 0 = not known
 *
 * una <= nxt <= max <= end, in PSN order.
 */
struct tuff_requester {
	u8 state;
	u8 retry_left;
	u8 rnr_left;
	bool draining;
	bool naked;
	u8 probes;
	u8 trust;
	u8 mend;
	u8 mends;
	u8 losses;
	bool mended;
	bool recovering;
	bool loop;
	bool no_loop;
	u8 nr_rd_atomic;
	u16 since_ackreq;
	u16 window;
	u16 threshold;
	u32 nr_lent;
	u32 una;
	u32 nxt;
	u32 max;
	u32 end;
	u32 mended_end;
	u32 last;
	u32 recover;
	u32 gap_psn;
	u32 clocked_psn;
	struct tuff_swqe *cur;
	u64 rnr_ns;
	u64 mended_ns;
	u64 reread_ns;
	u64 refused_ns;
	u64 clocked_ns;
	u64 rtt_ns;
};

/* One READ or ATOMIC this responder answered or is answering. */
struct tuff_replay {
	u8 opcode;		/* BTH opcode of the request; 0 = free */
	bool answered;		/* all of it was sent once */
	u32 psn;		/* first PSN of the answer */
	u32 npsn;		/* packets of the answer */
	u32 from;		/* packet where the latest request began */
	u32 sent;		/* packets before this were sent (== npsn: done) */
	u32 msn;		/* MSN that the answer carries */
	u32 rkey;
	u32 length;
	u64 va;
	u64 orig;		/* ATOMIC: the saved result */
};

/* What the responder is in the middle of. */
enum tuff_responder_state {
	TUFF_RESPONDER_IDLE,	/* expects FIRST, ONLY or a request */
	TUFF_RESPONDER_SEND,	/* expects SEND MIDDLE or LAST */
	TUFF_RESPONDER_WRITE,	/* expects WRITE MIDDLE or LAST */
	TUFF_RESPONDER_SKIP,	/* UC: message broken, wait for the next start */
};

/* What the responder owes to the requester. */
enum tuff_owed {
	TUFF_OWED_NOTHING,
	TUFF_OWED_ACK,
	TUFF_OWED_NAK,		/* then silence until the expected PSN comes */
	TUFF_OWED_RNR,
};

/* Whose requests are kept when they come before their turn; see early.c. */
enum tuff_early_mode {
	TUFF_EARLY_NEVER,
	TUFF_EARLY_LEARNED,	/* of those who send again only what is missing */
	TUFF_EARLY_ALWAYS,
	TUFF_NR_EARLY_MODES,
};

/* Packets kept at most, as many as a window has: a power of two. */
#define TUFF_EARLY_SLOTS	256U

/* A packet that is kept: the world's handle, and when it came. */
struct tuff_early_slot {
	void *buf;
	u64 came_ns;
};

/**
 * struct tuff_early - requests that came before their turn
 * @slot: by PSN, %TUFF_EARLY_SLOTS of them, or NULL: nothing is kept
 * @nr: packets kept
 * @base: their PSNs lie in [@base, @base + %TUFF_EARLY_SLOTS)
 * @next: one past the highest PSN that came behind the gap
 * @since_ns: when the gap was seen, 0 = there is none
 * @fresh: that was when a packet came behind it, not when the gap before closed
 * @reported: how often a NAK for it went out
 * @reported_ns: when the first did
 * @answer_ns: how long after a NAK the missing packet comes
 * @closed: it has just closed
 * @proofs: how often the requester sent only what was missing
 * @patience_ns: how long a gap may last until it is reported
 * @late_psn: the missing packet of the last gap that was reported
 * @late_ns: how long that gap lasted, 0 = it is known why
 */
struct tuff_early {
	struct tuff_early_slot *slot;
	u32 nr;
	u32 base;
	u32 next;
	bool fresh;
	u8 reported;
	bool closed;
	u8 proofs;
	u32 patience_ns;
	u32 answer_ns;
	u32 late_psn;
	u64 late_ns;
	u64 since_ns;
	u64 reported_ns;
};

/**
 * struct tuff_responder - receiving half of a connection
 * @state: what it is in the middle of
 * @owed: acknowledgement to be sent at the end of this run
 * @syndrome: AETH syndrome of an owed NAK
 * @silent: a NAK for @epsn went out: nothing more until @epsn arrives
 * @fatal: the owed NAK ends the connection: &enum tuff_event to raise after
 *	it, plus one; 0 = none
 * @comm_est: the first packet in RTR was reported
 * @last_wqe: shared receive queue: that no more will be taken was reported
 * @epsn: expected PSN
 * @msn: completed requests, 24 bits
 * @wqe: receive request being filled, or NULL
 * @offset: bytes of the current message that arrived
 * @va: WRITE: where the next byte goes
 * @resid: WRITE: bytes still to come
 * @rkey: WRITE: the message's R_Key
 * @replay: ring of READ and ATOMIC answers, @nr_replay entries
 * @nr_replay: max_dest_rd_atomic, at least 1
 * @replay_next: entry that the next READ or ATOMIC takes
 * @replay_due: some answer may be unsent
 * @early: requests that came before their turn
 */
struct tuff_responder {
	u8 state;
	u8 owed;
	u8 syndrome;
	u8 fatal;
	bool silent;
	bool comm_est;
	bool last_wqe;
	u8 nr_replay;
	u8 replay_next;
	bool replay_due;
	u32 epsn;
	u32 msn;
	struct tuff_rwqe *wqe;
	u32 offset;
	u32 resid;
	u64 va;
	u32 rkey;
	struct tuff_replay *replay;
	struct tuff_early early;
};

#endif /* _TUFF_ENGINE_HALVES_H */
