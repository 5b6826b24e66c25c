/* SPDX-License-Identifier: MIT */
/* Six hundred children of ten kinds, one after the other and a few at a time, so that most
 * go on in the slots of one that has ended: every call, block and process is there once,
 * whoever recorded it, and but for those that are killed knows its CPU time. The highest
 * peak is that of a child in the middle. */
// tolerate: memory
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 1980
// expect-sql: SELECT calls FROM functions WHERE name = 'child' => 600
// expect-sql: SELECT calls FROM functions WHERE name = 'grandchild' => 60
// expect-sql: SELECT calls FROM functions WHERE name = 'image' => 60
// expect-sql: SELECT COUNT(DISTINCT pid) > 600 AND COUNT(*) = 721 FROM processes => 1
// expect-sql: SELECT SUM(complete) FROM processes => 712
// expect-sql: SELECT COUNT(*) FROM processes WHERE exit_code = 3 => 60
// expect-sql: SELECT COUNT(*) FROM processes WHERE exit_code = 4 => 60
// expect-sql: SELECT SUM(p.parent_process_id = m.process_id) FROM processes p,
//     (SELECT process_id FROM processes WHERE parent_process_id IS NULL) m => 660
// expect-sql: SELECT COUNT(*) FROM threads => 721
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_count), SUM(live_bytes)
//     FROM allocation_sites WHERE name = 'leave' => 60|6000|60|6000
// expect-sql: SELECT SUM(alloc_count), SUM(free_count), SUM(live_count)
//     FROM allocation_sites WHERE name = 'borrow' => 60|60|0
// expect-sql: SELECT peak_bytes = 5000000, (SELECT SUM(at_peak_bytes) FROM
//     allocation_sites) FROM runs => 1|5000000
// expect-sql: SELECT COUNT(*) FROM processes WHERE peak_bytes = 5000000 => 1
// expect-sql: SELECT COUNT(*) FROM processes WHERE alloc_bytes = 100 AND
//     live_bytes_at_exit = 100 AND peak_bytes = 100 => 60
// expect-sql: SELECT COUNT(*) < 120 FROM (SELECT DISTINCT lane_id FROM threads) => 1
// expect-sql: SELECT COUNT(*) <= 9 FROM threads WHERE cpu_ns IS NULL => 1
// expect-trust: unsplit_processes => 0
#include "truth.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 600
#define AT_ONCE 3

static const char *self;
static void *parents_block;

ALONE static void step(volatile unsigned *sum)
{
	*sum += 1;
}

ALONE static void steps(int count)
{
	volatile unsigned sum = 0;

	while (count-- > 0)
		step(&sum);
}

ALONE static void leave(void)
{
	keep(malloc(opaque(100)));
}

ALONE static void borrow(void)
{
	void *block = malloc(opaque(30));

	keep(block);
	free(block);
	free(parents_block);
}

ALONE static void fill(size_t bytes)
{
	void *block = malloc(opaque(bytes));

	keep(block);
	free(block);
}

ALONE static void grandchild(void)
{
	steps(3);
	_exit(4);
}

ALONE static void beget(void)
{
	int status, pid = fork();

	if (pid == 0)
		grandchild();
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 4)
		_exit(1);
}

ALONE static void image(void)
{
	steps(3);
	_exit(0);
}

ALONE static void fail_to_become_another(void)
{
	for (int i = 0; i < 5; i++) {
		execl("/nonexistent/program", "program", NULL);
		steps(1);
	}
}

ALONE static void child(int number)
{
	steps(2);
	switch (number % 10) {
	case 0:
		leave();
		break;
	case 1:
		borrow();
		break;
	case 2:
		fill(number == 302 ? 5000000 : 1000 + (size_t)number);
		break;
	case 3:
		beget();
		break;
	case 4:
		execl(self, self, "image", NULL);
		_exit(1);
	case 5:
		fail_to_become_another();
		break;
	case 6:
		exit(3);
	case 7:
		if (number % 70 == 7)
			kill(getpid(), SIGKILL);
		break;
	default:
		steps(1);
		_exit(0);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	int status, failed = 0, alive = 0;

	self = argv[0];
	if (argc > 1 && !strcmp(argv[1], "image"))
		image();
	parents_block = malloc(opaque(50));
	for (int i = 0; i < CHILDREN; i++) {
		int pid = fork();

		if (pid == 0)
			child(i);
		failed |= pid < 0;
		if (++alive < AT_ONCE)
			continue;
		failed |= wait(&status) < 0;
		alive--;
	}
	while (wait(&status) > 0)
		;
	free(parents_block);
	return failed;
}
