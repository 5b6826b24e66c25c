/* SPDX-License-Identifier: MIT */
/* Calls that end without an exit of their own, per path: in two threads, in children that
 * have each other's slot, and up to a snapshot and from one to the next. */
// flags: -pthread
// variants: all
// expect-trust: repaired_frames => 375
// expect-sql: SELECT name, calls, unwound_count FROM functions WHERE unwound_count > 0 OR
//     name = 'catcher' ORDER BY name => catcher|125|0; leave|125|125; step|250|250
// expect-sql: SELECT p.name, c.depth, c.calls, c.unwound_count FROM call_paths c JOIN
//     call_paths p ON p.path_id = c.parent_path_id WHERE c.name = 'step' ORDER BY c.depth,
//     p.name => catcher|3|40|40; catcher|4|85|85; step|4|40|40; step|5|85|85
// expect-sql: SELECT SUM(l.unwound_count), COUNT(DISTINCT p.path_id) FROM path_lane l JOIN
//     call_paths p USING (path_id) WHERE p.name = 'leave' => 125|2
// expect-sql: SELECT COUNT(*) FROM processes => 29
// expect-sql: SELECT t.label, p.name, p.depth, s.calls, s.unwound_count FROM snapshots t JOIN
//     snapshot_paths s USING (snapshot_id) JOIN call_paths p USING (path_id) WHERE p.name IN
//     ('step', 'leave', 'catcher') ORDER BY t.number, p.depth, s.calls =>
//     one|catcher|2|40|0; one|step|3|40|40; one|step|4|40|40; one|leave|5|40|40;
//     two|catcher|2|40|0; two|catcher|3|1|0; two|step|3|40|40; two|step|4|1|1;
//     two|step|4|40|40; two|step|5|1|1; two|leave|5|40|40; two|leave|6|1|1
#include "truth.h"
#include <profshim.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 2
#define CHILDREN 28
#define JUMPS 20
#define CHILD_JUMPS 3

static volatile unsigned sum;
static _Thread_local jmp_buf place;

ALONE static void leave(void)
{
	sum++;
	longjmp(place, 1);
}

ALONE static void step(int levels)
{
	if (levels > 0)
		step(levels - 1);
	else
		leave();
	sum++;
}

ALONE static void catcher(void)
{
	if (!setjmp(place))
		step(1);
}

ALONE static void jump(int count)
{
	while (count-- > 0)
		catcher();
}

__attribute__((no_instrument_function)) static void *run(void *count)
{
	jump(*(int *)count);
	return NULL;
}

int main(void)
{
	int jumps = JUMPS;
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, &jumps);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	profshim_snapshot("one");
	jump(1);
	profshim_snapshot("two");
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child == 0) {
			jump(CHILD_JUMPS);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
