/* SPDX-License-Identifier: MIT */
/* Each forked child has its own slow calls, in slots of its own and in those that others
 * have left. What was open in the parent is no call of a child's. */
// variants: once
// settings: PROFSHIM_SPANS=5ms
// expect-sql: SELECT name, COUNT(*), COUNT(DISTINCT process_id), COUNT(DISTINCT thread_id) FROM spans
//     WHERE name IN ('child_nap', 'parent_nap') GROUP BY 1 ORDER BY 1 => child_nap|40|40|40;
//     parent_nap|2|1|1
// expect-sql: SELECT COUNT(*) FROM spans s JOIN processes p USING (process_id) WHERE s.started_ns <
//     p.started_ns - 1000000 OR s.started_ns > p.started_ns + p.wall_ns => 0
// expect-sql: SELECT COUNT(*) FROM spans WHERE name = 'main' AND process_id <> (SELECT
//     MIN(process_id) FROM processes) => 0
#include "truth.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

UNTRACED void nap(void)
{
	struct timespec time = {0, 6000000};

	nanosleep(&time, NULL);
}

ALONE static void child_nap(void)
{
	nap();
}

ALONE static void parent_nap(void)
{
	nap();
}

int main(void)
{
	parent_nap();
	for (int i = 0; i < 40; i++) {
		pid_t child = fork();

		if (child == 0) {
			child_nap();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	parent_nap();
	return 0;
}
