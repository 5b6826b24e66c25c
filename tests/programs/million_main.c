/* SPDX-License-Identifier: MIT */
/* A recursion a million deep on the stack of the main thread: the program raises its
 * limit and starts itself again. */
// variants: gcc
// expect-trust: orphan_exits => 0
// expect-sql: SELECT SUM(calls), COUNT(*), MAX(depth) FROM call_paths WHERE name =
//     'descend' => 1000000|1000000|1000001
// expect-sql: SELECT calls, depth FROM call_paths WHERE name = 'bottom' => 1|1000002
#include "truth.h"
#include <sys/resource.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void bottom(void)
{
	sum++;
}

ALONE static void descend(unsigned levels)
{
	if (levels > 1)
		descend(levels - 1);
	else
		bottom();
	sum++;
}

int main(int argc, char **argv)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	if (argc == 1) {
		char *const again[] = {argv[0], "again", NULL};

		getrlimit(RLIMIT_STACK, &limit);
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_STACK, &limit))
			return 1;
		execv("/proc/self/exe", again);
		return 1;
	}
	descend(1000000);
	return sum == 1000001 ? 0 : 1;
}
