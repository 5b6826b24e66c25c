/* SPDX-License-Identifier: MIT */
/* fork from the middle of nested calls: parent, child and grandchild each with exact
 * counts of their own; children that go by exit and by _exit. */
// tolerate: memory
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 167
// expect-sql: SELECT pr.exit_code, SUM(l.calls) FROM path_lane l JOIN lane USING (lane_id)
//     JOIN processes pr USING (process_id) JOIN call_paths p USING (path_id) WHERE p.name =
//     'step' GROUP BY pr.process_id ORDER BY pr.exit_code => 0|100; 3|50; 5|10; 9|7
// expect-sql: SELECT c.exit_code, p.exit_code FROM processes c LEFT JOIN processes p ON
//     p.process_id = c.parent_process_id ORDER BY c.exit_code => 0|; 3|0; 5|3; 9|0
// expect-sql: SELECT SUM(complete), COUNT(*), COUNT(DISTINCT pid) FROM processes => 4|4|4
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'child' => nest|1
// expect-sql: SELECT calls FROM functions WHERE name = 'nest' => 1
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'child' => 1|100
// expect-sql: SELECT SUM(alloc_count), SUM(live_bytes), SUM(free_count) FROM
//     allocation_sites WHERE name = 'nest' => 1|0|1
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM processes => 2|1100
#include "truth.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

UNTRACED void steps(int count)
{
	while (count-- > 0)
		step();
}

static void wait_for(int pid, int exit_code)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != exit_code)
		_exit(99);
}

ALONE static void grandchild(void)
{
	steps(10);
	_exit(5);
}

/* Frees what its parent allocated before the fork. */
ALONE static void child(void *inherited)
{
	int pid;

	free(inherited);
	keep(malloc(opaque(100)));
	steps(50);
	pid = fork();
	if (pid == 0)
		grandchild();
	wait_for(pid, 5);
	exit(3);
}

ALONE static void nest(void)
{
	void *block = malloc(opaque(1000));
	int pid;

	keep(block);
	pid = fork();
	if (pid == 0)
		child(block);
	steps(100);
	wait_for(pid, 3);
	pid = fork();
	if (pid == 0) {
		steps(7);
		exit(9);
	}
	wait_for(pid, 9);
	free(block);
}

int main(void)
{
	nest();
	return wait(NULL) == -1 ? 0 : 1;
}
