/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: the program stands still in one call.
 */
// expect: T9 long-call ask_server
#include "background.h"

#include <poll.h>
#include <stddef.h>

static __attribute__((noinline)) void ask_server(void)
{
	poll(NULL, 0, 500);
}

int main(void)
{
	background(2, 700000);
	ask_server();
	background(5, 700000);
	return 0;
}
