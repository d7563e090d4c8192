// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_packets: frames made by hand, and put on the wire */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

#define BATCH	64

static int sock = -1;		/* sends, and receives nothing */
static int sniffer = -1;	/* bound only when something is captured */
static int ifindex;
static uint8_t macs[12];		/* destination, source */
static uint8_t batch[BATCH][FRAME_MAX];
static struct iovec vecs[BATCH];
static struct mmsghdr msgs[BATCH];
static int nr_batch;
static unsigned long nr_sent;

/* CRC-32 of Ethernet, bit-reflected, without first and last complement. */
uint32_t crc32_add(uint32_t crc, const void *p, size_t len)
{
	static uint32_t table[256];
	const uint8_t *b = p;
	uint32_t i, k, c;

	if (!table[1]) {
		for (i = 0; i < 256; i++) {
			for (c = i, k = 0; k < 8; k++)
				c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
			table[i] = c;
		}
	}
	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *b++) & 255];
	return crc;
}

static int open_socket(const char *netdev)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET };
	struct ifreq ifr = {};
	int size = 8 << 20;

	sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	sniffer = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (sock < 0 || sniffer < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", netdev);
	if (ioctl(sock, SIOCGIFHWADDR, &ifr))
		return -errno;
	memcpy(macs + 6, ifr.ifr_hwaddr.sa_data, 6);
	if (ioctl(sock, SIOCGIFINDEX, &ifr))
		return -errno;
	ifindex = ifr.ifr_ifindex;
	to.sll_ifindex = ifindex;
	setsockopt(sniffer, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	setsockopt(sock, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	return bind(sock, (void *)&to, sizeof(to)) ? -errno : 0;
}

/* A packet socket at the far end of the veth pair. */
int forge_open(const char *netns, const char *netdev, const char *to_mac)
{
	char path[128];
	int own, other, err;

	if (sscanf(to_mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &macs[0], &macs[1],
		   &macs[2], &macs[3], &macs[4], &macs[5]) != 6)
		return -EINVAL;
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	other = open(path, O_RDONLY | O_CLOEXEC);
	if (own < 0 || other < 0 || setns(other, CLONE_NEWNET))
		return -errno;
	err = open_socket(netdev);
	if (setns(own, CLONE_NEWNET))
		err = -errno;
	close(own);
	close(other);
	return err;
}

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static void put24(uint8_t *p, uint32_t v)
{
	p[0] = v >> 16;
	put16(p + 1, v);
}

/* A BTH as hardware sends it, and @len bytes in all. */
void forge_bth(struct packet *p, uint8_t opcode, uint32_t qpn, uint32_t psn,
	       int len)
{
	memset(p->tp, 0, BTH_LEN);
	p->tp[0] = opcode;
	p->tp[1] = 0x40;
	put16(p->tp + 2, 0xffff);
	put24(p->tp + 5, qpn);
	p->tp[8] = 0x80;
	put24(p->tp + 9, psn);
	p->len = len;
}

static uint16_t ip_sum(const uint8_t *p, int len)
{
	uint32_t sum = 0;

	for (; len > 0; len -= 2, p += 2)
		sum += p[0] << 8 | p[1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* The sum of an IPv4 header, set right again. */
void forge_ip_sum(uint8_t *ip)
{
	put16(ip + 10, 0);
	put16(ip + 10, ip_sum(ip, (ip[0] & 15) * 4));
}

/* An Ethernet header; returns where the next one begins. */
uint8_t *forge_ether(uint8_t *frame, uint16_t type)
{
	memcpy(frame, macs, sizeof(macs));
	put16(frame + 12, type);
	return frame + 14;
}

/* Returns the header's length. Options are NOPs. */
static int ip4_header(const struct packet *p, uint8_t *ip, int payload)
{
	int hlen = 20 + 4 * p->options;

	memset(ip, 0, 20);
	memset(ip + 20, 1, 4 * p->options);
	ip[0] = 0x40 | hlen / 4;
	ip[1] = p->tos;
	put16(ip + 2, hlen + payload);
	put16(ip + 4, 0x1234);
	put16(ip + 6, p->frag);
	ip[8] = p->ttl;
	ip[9] = 17;
	memcpy(ip + 12, p->src, 4);
	memcpy(ip + 16, p->dst, 4);
	put16(ip + 10, ip_sum(ip, hlen));
	return hlen;
}

/* With options: as many Destination Options headers, each of 8 bytes. */
static int ip6_header(const struct packet *p, uint8_t *ip, int payload)
{
	uint8_t *ext = ip + 40;
	int i;

	memset(ip, 0, 40 + 8 * p->options);
	ip[0] = 0x60;
	put16(ip + 4, payload + 8 * p->options);
	ip[6] = p->options ? 60 : 17;
	ip[7] = p->ttl;
	memcpy(ip + 8, p->src, 16);
	memcpy(ip + 24, p->dst, 16);
	for (i = 0; i < p->options; i++, ext += 8) {
		ext[0] = i + 1 < p->options ? 60 : 17;
		ext[2] = 1;		/* PadN, 4 bytes */
		ext[3] = 4;
	}
	return 40 + 8 * p->options;
}

/* What routers may change counts as ones. */
static void mask_ip(uint8_t *ip, bool v4)
{
	static const uint8_t at4[] = { 1, 8, 10, 11 }, at6[] = { 1, 2, 3, 7 };
	int i;

	for (i = 0; i < 4; i++)
		ip[v4 ? at4[i] : at6[i]] = 0xff;
	if (!v4)
		ip[0] |= 0x0f;
}

/* The sum over IP, UDP and transport, for a frame that is otherwise done. */
static uint32_t icrc_of(const uint8_t *ip, int hlen, const uint8_t *udp,
			int tp_len)
{
	uint8_t head[40 + 64], u[8 + BTH_LEN];
	uint32_t crc;

	memcpy(head, ip, hlen);
	memset(u, 0, sizeof(u));
	memcpy(u, udp, 8 + (tp_len < BTH_LEN ? tp_len : BTH_LEN));
	mask_ip(head, ip[0] >> 4 == 4);
	u[6] = 0xff;
	u[7] = 0xff;
	u[12] = 0xff;
	crc = crc32_add(0xffffffff, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	crc = crc32_add(crc, head, hlen);
	if (tp_len <= BTH_LEN)
		return ~crc32_add(crc, u, 8 + tp_len);
	crc = crc32_add(crc, u, sizeof(u));
	return ~crc32_add(crc, udp + sizeof(u), tp_len - BTH_LEN);
}

/* Write the frame of @p; returns its length. */
int forge(const struct packet *p, uint8_t *frame)
{
	int size = 8 + p->len + ICRC_LEN, hlen, i;
	uint8_t *at = frame + 12, *ip, *udp, *end;
	uint32_t icrc;

	memcpy(frame, macs, sizeof(macs));
	for (i = 0; i < p->nr_vlans; i++, at += 4) {
		put16(at, 0x8100);
		put16(at + 2, p->vlan[i]);
	}
	put16(at, p->v6 ? 0x86dd : 0x0800);
	ip = at + 2;
	hlen = p->v6 ? ip6_header(p, ip, size) : ip4_header(p, ip, size);
	udp = ip + hlen;
	put16(udp, p->sport);
	put16(udp + 2, ROCE_PORT);
	put16(udp + 4, size - p->udp_less);
	put16(udp + 6, p->udp_sum);
	memcpy(udp + 8, p->tp, p->len);
	end = udp + 8 + p->len;
	icrc = icrc_of(ip, hlen, udp, p->len);
	for (i = 0; i < ICRC_LEN; i++)
		*end++ = icrc >> 8 * i;
	end[-1] ^= p->spoil;
	return end - frame;
}

/* Everything queued goes out. Returns 0 or a negative errno. */
int forge_flush(void)
{
	int done = 0, n;

	while (done < nr_batch) {
		n = sendmmsg(sock, msgs + done, nr_batch - done, 0);
		if (n < 0 && (errno == ENOBUFS || errno == EAGAIN ||
			      errno == EINTR)) {
			sched_yield();
			continue;
		}
		if (n < 0)
			return -errno;
		done += n;
	}
	nr_sent += nr_batch;
	nr_batch = 0;
	return 0;
}

int forge_queue(const uint8_t *frame, int len)
{
	memcpy(batch[nr_batch], frame, len);
	vecs[nr_batch] = (struct iovec){ batch[nr_batch], len };
	msgs[nr_batch].msg_hdr = (struct msghdr){ .msg_iov = &vecs[nr_batch],
						  .msg_iovlen = 1 };
	return ++nr_batch == BATCH ? forge_flush() : 0;
}

int forge_send(const struct packet *p)
{
	uint8_t frame[FRAME_MAX];

	return forge_queue(frame, forge(p, frame));
}

unsigned long forge_sent(void)
{
	return nr_sent;
}

/* RoCE frames that the other host sends meanwhile; returns how many came. */
int forge_capture(uint8_t frames[][FRAME_MAX], int *lens, int n, int ms)
{
	struct sockaddr_ll from, any = { .sll_family = AF_PACKET,
					 .sll_ifindex = ifindex,
					 .sll_protocol = htons(ETH_P_ALL) };
	uint64_t end = vt_deadline(ms);
	socklen_t size;
	int got = 0, len;

	if (bind(sniffer, (void *)&any, sizeof(any)))
		return -errno;
	while (got < n && !vt_expired(end)) {
		size = sizeof(from);
		len = recvfrom(sniffer, frames[got], FRAME_MAX, MSG_DONTWAIT,
			       (void *)&from, &size);
		if (len < 0) {
			usleep(1000);
			continue;
		}
		if (from.sll_pkttype != PACKET_OUTGOING || len < 14 + 20 + 8 +
		    BTH_LEN + ICRC_LEN || frames[got][12] != 8 ||
		    frames[got][13] || frames[got][14] != 0x45 ||
		    frames[got][23] != 17)
			continue;
		lens[got++] = len;
	}
	close(sniffer);
	return got;
}
