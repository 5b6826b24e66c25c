/* SPDX-License-Identifier: MIT */
/*
 * A child whose parent has ended before it gets a CPU, as on a busy machine: nothing tells
 * the shim of this fork, and the first function is called 300 ms later. Then it computes.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 1000; i++)
		sum += (unsigned)i;
}

static double now(void) __attribute__((no_instrument_function));
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(void)
{
	double until;

	work();
	if (syscall(SYS_fork) != 0)
		return 0;
	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	for (until = now() + 0.7; now() < until;)
		work();
	return 0;
}
