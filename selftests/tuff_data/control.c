// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_data: the socket on which the two sides agree */
#include "data.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* "address:port" or "[address]:port"; the address may be missing. */
static struct addrinfo *resolve(const char *where, bool passive)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | (passive ? AI_PASSIVE : 0),
	};
	struct addrinfo *res;
	char host[128], *port, *name = host;

	snprintf(host, sizeof(host), "%s", where);
	port = strrchr(host, ':');
	if (!port)
		return NULL;
	*port++ = '\0';
	if (name[0] == '[') {
		name++;
		name[strcspn(name, "]")] = '\0';
	}
	if (getaddrinfo(name[0] ? name : NULL, port, &hints, &res))
		return NULL;
	return res;
}

/* Wait for the driver; returns its socket. */
int control_listen(const char *where)
{
	struct addrinfo *ai = resolve(where, true);
	int on = 1, fd, conn, err = 0;

	if (!ai)
		return -EINVAL;
	fd = socket(ai->ai_family, SOCK_STREAM, 0);
	if (fd < 0) {
		err = -errno;
	} else {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, 1))
			err = -errno;
	}
	freeaddrinfo(ai);
	if (err)
		return err;
	conn = accept(fd, NULL, NULL);
	if (conn < 0)
		conn = -errno;
	close(fd);
	return conn;
}

/* The follower may not listen yet: try until the limit. */
int control_connect(const char *where)
{
	struct addrinfo *ai = resolve(where, false);
	uint64_t end = vt_deadline(20000);
	int fd, err;

	if (!ai)
		return -EINVAL;
	for (;;) {
		fd = socket(ai->ai_family, SOCK_STREAM, 0);
		if (fd < 0)
			return -errno;
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
			break;
		err = -errno;
		close(fd);
		fd = err;
		if (vt_expired(end))
			break;
		usleep(20000);
	}
	freeaddrinfo(ai);
	return fd;
}

int msg_send(int fd, const struct msg *m)
{
	return send(fd, m, sizeof(*m), MSG_NOSIGNAL) == sizeof(*m) ?
		0 : -EPIPE;
}

int msg_recv(int fd, struct msg *m)
{
	return recv(fd, m, sizeof(*m), MSG_WAITALL) == sizeof(*m) ?
		0 : -EPIPE;
}

/* Ask and wait for the answer, which replaces the question. */
int msg_call(int fd, struct msg *m)
{
	int err = msg_send(fd, m);

	return err ? err : msg_recv(fd, m);
}
