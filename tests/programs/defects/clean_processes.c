/* SPDX-License-Identifier: MIT */
/*
 * What this is:  processes without a defect that wait for one another: a driver that waits
 *                for children in waitpid() and for what they write into a pipe, and for many
 *                that end before anybody has looked at them.
 */
#include "background.h"

#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) int wait_for(pid_t child)
{
	int status = 0;

	return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static __attribute__((noinline)) int run_child(int rounds)
{
	pid_t child = fork();

	if (child == 0) {
		background(rounds, 200000);
		_exit(0);
	}
	return wait_for(child);
}

/* The child writes when it has ended its work. */
static __attribute__((noinline)) int read_child(int rounds)
{
	int ends[2];
	char byte;
	pid_t child;

	if (pipe(ends) != 0)
		return 1;
	child = fork();
	if (child == 0) {
		background(rounds, 200000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		return 1;
	close(ends[0]);
	return wait_for(child);
}

static __attribute__((noinline)) int run_brief(void)
{
	pid_t child = fork();

	if (child == 0) {
		background_sink = background_mix(background_sink, 100000);
		_exit(0);
	}
	return wait_for(child);
}

int main(void)
{
	int failed = 0;

	for (int i = 0; i < 8; i++)
		failed |= run_child(4) | read_child(4);
	for (int i = 0; i < 300; i++)
		failed |= run_brief();
	return failed;
}
