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
	background(20, 70000);
	ask_server();
	background(50, 70000);
	return 0;
}
