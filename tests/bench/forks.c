/* SPDX-License-Identifier: MIT */
/* Has children one after the other, which make a few calls and one allocation and end.
 * usage: forks COUNT; prints the wall time of a child in ns. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;
static void *volatile kept;

__attribute__((noinline, noclone)) static void step(void)
{
	sum++;
}

__attribute__((noinline, noclone)) static void child(void)
{
	for (int i = 0; i < 10; i++)
		step();
	free(kept = malloc(100));
	_exit(0);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000, failed = 0, status;
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child();
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
			failed = 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("ns=%.0f\n", ((double)(end.tv_sec - start.tv_sec) * 1e9 +
			     (double)(end.tv_nsec - start.tv_nsec)) /
				    count);
	return failed;
}
