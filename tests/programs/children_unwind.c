/* SPDX-License-Identifier: MIT */
/* Children that go on in the call tree of one that has ended know from it which calls of
 * malloc() lie in the program's own functions; what goes through a library, and what is
 * below a signal's frame, each of them walks. */
// variants: once
// expect-sql: SELECT COUNT(*), SUM(complete), SUM(exit_code) FROM processes => 101|101|0
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name =
//     'borrow' => 100|100
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name
//     LIKE '%strdup' => 200|200
// expect-below: copy alloc_count => 200
// expect-trust: partial_stacks => 0
#include "truth.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 100

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

ALONE static void child(void)
{
	borrow();
	copy(0);
	copy(1);
	_exit(0);
}

int main(void)
{
	int status, failed = 0;

	signal(SIGUSR1, copy_plainly);
	for (int i = 0; i < CHILDREN; i++) {
		int pid = fork();

		if (pid == 0)
			child();
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
			failed = 1;
	}
	return failed;
}
