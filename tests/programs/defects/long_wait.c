/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: the program sleeps for a time instead of waiting for an event.
 */
// expect: W1 long-wait ask_server
#include "background.h"

#include <unistd.h>

static __attribute__((noinline)) void ask_server(void)
{
	usleep(500000);
}

int main(void)
{
	background(20, 70000);
	ask_server();
	background(50, 70000);
	return 0;
}
