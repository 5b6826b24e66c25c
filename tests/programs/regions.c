/* SPDX-License-Identifier: MIT */
/* Regions: nested, repeated, ended by another function, with instrumented and other
 * callees; one that never ends, one that ends twice, one that is open across a fork. */
// expect-tree:
//     main 1
//       child 1
//         inside_child 1
//           in_child 1 +1
//       forgets 1
//         forgotten 1
//       load 10 +10
//         parse 20 +20
//           work 20
//       left 1
//       passed 1
//         finish 1
//         work 1
//       work 1
// expect-sql: SELECT group_concat(n, ' ') FROM (SELECT f.component || ':' || p.name || ':' ||
//     SUM(p.calls) || ':' || SUM(p.alloc_count) || ':' || SUM(p.alloc_bytes) AS n FROM
//     call_paths p JOIN functions f USING (function_id) WHERE p.kind =
//     'region' GROUP BY p.function_id ORDER BY 1) => app:child:1:0:0 app:forgotten:1:0:0 app:left:1:0:0 app:passed:1:0:0 cpu:inside_child:1:0:0 cpu:parse:20:20:1280 io:load:10:10:1000
// expect-sql: SELECT COUNT(*) FROM allocation_sites WHERE name = 'parse' AND file LIKE
//     '%regions.c' AND line > 0 => 1
// expect-sql: SELECT COUNT(*) FROM functions WHERE name = 'load' AND module IS NULL AND
//     recording = 'exact' AND total_ns > 0 AND max_ns > 0 AND p50_ns > 0 => 1
// expect-sql: SELECT calls FROM call_edges WHERE caller = 'load' AND callee = 'parse' => 20
// expect-trust: unended_regions => 2
// expect-trust: orphan_regions => 3
// expect-trust: folded_paths => 0
// expect-trust: inherited_frames => 2
#include "profshim.h"
#include "truth.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void work(void)
{
	sum++;
}

ALONE static void forgets(void)
{
	profshim_region_begin("app", "forgotten");
	sum++;
}

ALONE static void finish(void)
{
	profshim_region_end("app", "passed");
	sum++;
}

UNTRACED void use(size_t size)
{
	void *block = malloc(opaque(size));

	keep(block);
	free(block);
}

ALONE static void in_child(void)
{
	use(99);
}

UNTRACED void load(void)
{
	char name[8] = "load";
	int i;

	profshim_region_begin("io", name);
	keep(name);
	use(100);
	for (i = 0; i < 2; i++) {
		profshim_region_begin("cpu", "parse");
		work();
		use(64);
		profshim_region_end("cpu", "parse");
	}
	profshim_region_end("io", name);
}

int main(void)
{
	int i;

	for (i = 0; i < 10; i++)
		load();
	profshim_region_end("io", "load");
	forgets();
	profshim_region_end("app", "forgotten");
	profshim_region_begin("app", "passed");
	work();
	finish();
	work();
	profshim_region_end("app", "passed");
	profshim_region_begin("app", "child");
	if (fork() == 0) {
		profshim_region_begin("cpu", "inside_child");
		in_child();
		profshim_region_end("cpu", "inside_child");
		profshim_region_end("app", "child");
		_exit(0);
	}
	profshim_region_end("app", "child");
	wait(NULL);
	profshim_region_begin("app", "left");
	return 0;
}
