/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: each message gets a new block, though only a few dozen live.
 */
// expect: M2 churn receive
#include "background.h"

#include <stdlib.h>

#define WINDOW 64

static unsigned char *window[WINDOW];

static __attribute__((noinline)) void receive(uint64_t number)
{
	for (uint64_t i = 0; i < 4; i++) {
		unsigned char *message = malloc(200);

		if (!message)
			abort();
		message[0] = (unsigned char)number;
		free(window[(4 * number + i) % WINDOW]);
		window[(4 * number + i) % WINDOW] = message;
	}
}

static __attribute__((noinline)) void poll_queue(uint64_t first)
{
	for (uint64_t i = 0; i < 40; i++)
		receive(first + i);
}

static __attribute__((noinline)) void serve(uint64_t first)
{
	for (uint64_t i = 0; i < 40; i++)
		poll_queue(first + 40 * i);
}

int main(void)
{
	background(2, 100000);
	for (uint64_t i = 0; i < 400; i++)
		serve(1600 * i);
	for (int i = 0; i < WINDOW; i++)
		free(window[i]);
	return 0;
}
