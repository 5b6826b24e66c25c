/* SPDX-License-Identifier: MIT */
/* Children that go on in the call tree of one that has ended know from it which calls of
 * malloc() lie in the program's own functions, and start no unwinder for them. (Started in
 * a new process, libunwind calls sigprocmask() some sixty times.) What goes through a
 * library is unwound in each. */
// flags: -rdynamic
// expect-sql: SELECT COUNT(*), SUM(complete), SUM(exit_code) FROM processes => 101|101|0
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name =
//     'borrow' => 100|100
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name
//     LIKE '%strdup' => 100|100
// expect-below: copy alloc_count => 100
#include "truth.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 100
#define OWN_SLOTS 40 /* have slots, and a tree, of their own */

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

ALONE static void copy(void)
{
	char word[] = "text", *text;

	keep(word);
	text = strdup(word);
	keep(text);
	free(text);
}

ALONE static void child(int number)
{
	borrow();
	if (number >= OWN_SLOTS && mask_calls) {
		printf("child %d: the unwinder was started\n", number);
		exit(1);
	}
	copy();
	if (number < OWN_SLOTS && !mask_calls && getenv("LD_PRELOAD")) {
		printf("child %d: nothing tells whether it is started\n", number);
		exit(1);
	}
	_exit(0);
}

int main(void)
{
	int status, failed = 0;

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
