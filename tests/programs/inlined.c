/* SPDX-License-Identifier: MIT */
/* Inlined copies, which have their function's hooks, and what looks like one and is a call:
 * recursion from one call site, clones, handlers, calls behind an alloca. A call and a copy
 * of one function on one path are not told apart, so there are none here. */
// flags: -pthread
// variants: lto all
// expect-sql: SELECT p.name, c.name, c.calls, c.inlined_calls, c.inlined, h.name FROM
//     call_paths c JOIN call_paths p ON p.path_id = c.parent_path_id JOIN call_paths h ON
//     h.path_id = c.host_path_id WHERE c.name IN ('twice', 'four_times') AND c.kind =
//     'function' AND c.depth < 6 ORDER BY 1, 2, c.depth =>
//     behind_alloca|twice|3|3|1|behind_alloca;
//     by_pointer|twice|4|0|0|twice;
//     descend|twice|2|2|1|descend; descend|twice|2|2|1|descend; descend|twice|2|2|1|descend;
//     forks|twice|5|5|1|forks;
//     four_times|twice|20|20|1|loops; four_times|twice|14|14|1|part;
//     loops|four_times|10|10|1|loops;
//     part|four_times|7|7|1|part;
//     thread|twice|6|6|1|thread
// expect-sql: SELECT name, calls, inlined_calls FROM functions WHERE name IN ('twice',
//     'four_times', 'descend', 'cloned', 'branch', 'leaf', 'handler') ORDER BY name =>
//     branch|6|0; cloned|5|0; descend|3|0; four_times|17|17; handler|2|0;
//     leaf|2|0; twice|58|54
// expect-sql: SELECT caller, callee, calls, inlined_calls FROM call_edges WHERE callee =
//     'twice' ORDER BY 1 => behind_alloca|twice|3|3; by_pointer|twice|4|0; descend|twice|6|6;
//     forks|twice|5|5; loops|twice|20|20; part|twice|14|14; thread|twice|6|6
// expect-sql: SELECT caller FROM call_edges WHERE callee = 'called_by_copy' => loops
// expect-sql: SELECT COUNT(*) FROM (SELECT h.function_id, SUM(c.self_ns) AS built_ns FROM
//     call_paths c JOIN call_paths h ON h.path_id = c.host_path_id GROUP BY 1) JOIN functions f
//     USING (function_id) WHERE f.self_ns <> built_ns => 0
// expect-sql: SELECT total_ns, self_ns FROM functions WHERE name = 'four_times' => 0|0
// expect-sql: SELECT COUNT(*) FROM functions WHERE hooked_self_ns > hooked_total_ns OR
//     (inlined_calls = calls AND calls > 0 AND self_ns <> 0) => 0
// expect-sql: SELECT f.name, s.alloc_count FROM allocation_sites s JOIN call_paths p USING
//     (path_id) JOIN functions f USING (function_id) WHERE f.name = 'allocate' =>
//     allocate|3
#include "truth.h"
#include <alloca.h>
#include <profshim.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define INLINE static inline __attribute__((always_inline))

static volatile int sum;
static char *volatile kept;

INLINE void twice(void)
{
	sum += 2;
}

ALONE static void called_by_copy(void)
{
	sum++;
}

INLINE void four_times(void)
{
	twice();
	twice();
}

INLINE void with_a_call(void)
{
	called_by_copy();
}

INLINE void allocate(void)
{
	kept = malloc(20);
}

ALONE static void loops(void)
{
	for (int i = 0; i < 10; i++)
		four_times();
	with_a_call();
	for (int i = 0; i < 3; i++)
		allocate();
}

ALONE static void by_pointer(void)
{
	static void (*volatile pointer)(void) = twice;

	for (int i = 0; i < 4; i++)
		pointer();
}

ALONE static void behind_alloca(int count)
{
	for (int i = 0; i < count; i++) {
		char *memory = alloca((size_t)(100 * i + 16));

		memset(memory, i, 16);
		kept = memory;
		twice();
	}
}

/* One call site, with a copy on each level, before and behind the call. */
ALONE static void descend(int levels)
{
	twice();
	if (levels > 1)
		descend(levels - 1);
	twice();
}

/* gcc makes a clone of it for these arguments, whose hooks name the function. */
__attribute__((noinline)) static int cloned(int levels, int step)
{
	if (levels > 0)
		return cloned(levels - 1, step) + step * sum;
	return sum;
}

/* The parent was called from the very place that calls the child. */
static int branch(int levels);
ALONE static int leaf(int levels)
{
	return sum + levels;
}
static int (*const volatile kinds[])(int) = {leaf, branch};

ALONE static int branch(int levels)
{
	return kinds[levels > 1](levels - 1) + sum;
}

ALONE static void regions(void)
{
	profshim_region_begin("test", "part");
	for (int i = 0; i < 7; i++)
		four_times();
	profshim_region_end("test", "part");
}

ALONE static void handler(int number)
{
	sum++;
	if (number == SIGUSR1)
		raise(SIGUSR2);
}

static void *thread(void *unused)
{
	for (int i = 0; i < 6; i++)
		twice();
	return unused;
}

/* The child's copies are in the code of a function that its parent entered. */
ALONE static void forks(void)
{
	pid_t child = fork();

	if (child == 0) {
		for (int i = 0; i < 5; i++)
			twice();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(void)
{
	pthread_t other;

	loops();
	by_pointer();
	behind_alloca(3);
	descend(3);
	cloned(4, 7);
	for (int i = 0; i < 2; i++)
		branch(3);
	regions();
	signal(SIGUSR1, handler);
	signal(SIGUSR2, handler);
	raise(SIGUSR1);
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	forks();
	return 0;
}
