/* SPDX-License-Identifier: MIT */
/* Children that go on in the call tree of one that has ended know from it which calls of
 * malloc() lie in the program's own functions, and nobody needs libunwind for what goes
 * through a library by simple rules. (Started in a new process, it calls sigprocmask() some
 * sixty times.) What is below a signal's frame it unwinds in each. */
// variants: once
// flags: -rdynamic
// expect-sql: SELECT COUNT(*), SUM(complete), SUM(exit_code) FROM processes => 101|101|0
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name =
//     'borrow' => 100|100
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name
//     LIKE '%strdup' => 200|200
// expect-below: copy alloc_count => 200
// expect-trust: asked_stacks => 100
#include "truth.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 100

static int mask_calls;

/* libunwind's. */
__attribute__((no_instrument_function)) int sigprocmask(int how, const sigset_t *set,
							sigset_t *old)
{
	mask_calls++;
	return (int)syscall(SYS_rt_sigprocmask, how, set, old, 8);
}

ALONE static void borrow(void)
{
	void *block = malloc(opaque(100));

	keep(block);
	free(block);
}

__attribute__((no_instrument_function)) ALONE static void copy_plainly(int number)
{
	char word[] = "text", *text;

	keep(word);
	keep(&number);
	text = strdup(word);
	keep(text);
	free(text);
}

ALONE static void copy(int in_handler)
{
	if (in_handler)
		raise(SIGUSR1);
	else
		copy_plainly(0);
	keep(&in_handler);
}

ALONE static void child(int number)
{
	borrow();
	copy(0);
	if (mask_calls) {
		printf("child %d: the unwinder was started\n", number);
		exit(1);
	}
	copy(1);
	if (!mask_calls && getenv("LD_PRELOAD")) {
		printf("child %d: nothing tells whether it is started\n", number);
		exit(1);
	}
	_exit(0);
}

int main(void)
{
	int status, failed = 0;

	signal(SIGUSR1, copy_plainly);
	mask_calls = 0;
	for (int i = 0; i < CHILDREN; i++) {
		int pid = fork();

		if (pid == 0)
			child(i);
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
			failed = 1;
	}
	return failed;
}
