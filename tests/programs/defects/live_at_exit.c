/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: connections are closed but their buffers are never freed.
 */
// expect: M6 live-at-exit open_connection
#include "background.h"

#include <stdlib.h>
#include <string.h>

struct connection {
	char *buffer;
	int number;
};

static __attribute__((noinline)) void open_connection(struct connection *ret, int number)
{
	ret->buffer = malloc(400);
	if (!ret->buffer)
		abort();
	memset(ret->buffer, 1, 400);
	ret->number = number;
}

static __attribute__((noinline)) void close_connection(struct connection *connection)
{
	connection->number = -1;
}

static __attribute__((noinline)) void serve(int number)
{
	struct connection connection;

	open_connection(&connection, number);
	background(1, 300);
	close_connection(&connection);
}

int main(void)
{
	for (int i = 0; i < 8000; i++)
		serve(i);
	return 0;
}
