/* SPDX-License-Identifier: MIT */
/* What children computed that were waited for, by the kernel's count: that of children's
 * children, too, each once, and not that of one that nobody has waited for. */
// expect-sql: SELECT value >= 60000000 AND value < 160000000 FROM trust
//     WHERE name = 'children_cpu_ns' => 1
#include "truth.h"
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void compute(int milliseconds)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < milliseconds);
}

ALONE static void wait_for(pid_t child)
{
	if (child < 0 || waitpid(child, NULL, 0) != child)
		_exit(1);
}

int main(void)
{
	pid_t child = fork();

	if (child == 0) {
		child = fork();
		if (child == 0) {
			compute(30);
			_exit(0);
		}
		wait_for(child);
		compute(30);
		_exit(0);
	}
	wait_for(child);
	child = fork();
	if (child == 0) {
		compute(200);
		_exit(0);
	}
	return child < 0;
}
