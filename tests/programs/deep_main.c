/* SPDX-License-Identifier: MIT */
/* A recursion 100,000 deep on the stack of the main thread, which grows to 50 MB, far beyond
 * its usual limit: the program raises that and starts itself again. */
// expect-trust: orphan_exits => 0
// expect-sql: SELECT SUM(calls), COUNT(*), MAX(depth) FROM call_paths WHERE name =
//     'descend' => 100000|100000|100001
// expect-sql: SELECT calls, depth FROM call_paths WHERE name = 'bottom' => 1|100002
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
	volatile char room[500];

	room[levels % sizeof(room)] = 1;
	if (levels > 1)
		descend(levels - 1);
	else
		bottom();
	sum += room[levels % sizeof(room)];
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
	descend(100000);
	return sum == 100001 ? 0 : 1;
}
