/* SPDX-License-Identifier: MIT */
/* fork and exec of itself, then exec over itself: every image is a process row of the
 * same run. */
// tolerate: memory
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 60
// expect-sql: SELECT COUNT(*) FROM runs => 1
// expect-sql: SELECT pr.command LIKE '% child', pr.command LIKE '% last', SUM(l.calls) FROM
//     path_lane l JOIN lane USING (lane_id) JOIN processes pr USING (process_id) JOIN
//     call_paths p USING (path_id) WHERE p.name = 'step' GROUP BY pr.process_id ORDER BY
//     3 => 1|0|10; 0|0|20; 0|1|30
// expect-sql: SELECT COUNT(*), MIN(exit_code), MIN(complete) FROM processes WHERE command
//     LIKE '% child' => 1|5|1
// expect-sql: SELECT COUNT(*), MIN(exit_code), MIN(complete) FROM processes WHERE command
//     LIKE '% last' => 1|0|1
// expect-sql: SELECT exit_code, complete FROM runs => 0|1
#include "truth.h"
#include <string.h>
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

int main(int argc, char **argv)
{
	int pid, status;

	if (argc > 1 && !strcmp(argv[1], "child")) {
		steps(10);
		return 5;
	}
	if (argc > 1) {
		steps(30);
		return 0;
	}
	pid = fork();
	if (pid == 0) {
		execl("/proc/self/exe", argv[0], "child", NULL);
		_exit(98);
	}
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 5)
		return 1;
	steps(20);
	execl("/proc/self/exe", argv[0], "last", NULL);
	return 97;
}
