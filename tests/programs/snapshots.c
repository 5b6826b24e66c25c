/* SPDX-License-Identifier: MIT */
/* Snapshots by the program itself and at a function's exit: what each holds, what was
 * allocated and freed in between, and how old the freed blocks were. */
// settings: PROFSHIM_SNAPSHOT_AT=second_phase:enter,second_phase:exit,no_such:enter
// expect-sql: SELECT group_concat(label || '/' || taken_by) FROM (SELECT * FROM snapshots
//     ORDER BY number) => begun/call,grown/call,second_phase:enter/function,second_phase:exit/function,begun/call
// expect-sql: SELECT group_concat(live_count || '/' || live_bytes || '/' || alloc_count ||
//     '/' || alloc_bytes) FROM (SELECT * FROM snapshots ORDER BY number) =>
//     0/0/0/0,100/10000/200/15000,100/10000/200/15000,70/7000/220/16500,70/7000/220/16500
// expect-sql: SELECT group_concat(n.number || ':' || s.live_count || '/' || s.alloc_count) FROM
//     (SELECT snapshot_id, path_id, SUM(live_count) AS live_count, SUM(alloc_count) AS
//     alloc_count FROM snapshot_sites WHERE name = 'make' GROUP BY 1, 2) s JOIN snapshots n
//     USING (snapshot_id) => 2:100/200,3:100/200,4:60/200,4:10/20,5:60/200,5:10/20
// expect-sql: SELECT group_concat(s.live_count || '/' || s.alloc_count) FROM snapshot_sites s JOIN
//     snapshots n USING (snapshot_id) WHERE s.name = 'make' AND n.number = 2 => 100/100,0/100
// expect-sql: SELECT group_concat(b || '>' || f || ':' || free_count || '/' || free_bytes) FROM
//     (SELECT b.number AS b, f.number AS f, s.* FROM snapshot_frees s JOIN snapshots b ON
//     b.snapshot_id = born_id JOIN snapshots f ON f.snapshot_id = freed_id ORDER BY 1, 2) =>
//     1>3:40/4000,1>5:10/1000,3>5:5/500
// expect-sql: SELECT group_concat(n.number || ':' || s.calls) FROM snapshot_paths s JOIN
//     snapshots n USING (snapshot_id) JOIN call_paths p USING (path_id) WHERE p.name = 'work'
//     => 2:100,3:100,4:100,4:10,5:100,5:10
// expect-sql: SELECT COUNT(*) FROM snapshot_paths s JOIN call_paths p USING (path_id) JOIN
//     snapshots n USING (snapshot_id) WHERE p.name = 'main' AND s.calls = 1 AND
//     s.total_ns > 0 AND s.total_ns <= p.total_ns => 5
// expect-sql: SELECT COUNT(*) FROM snapshots WHERE rss_bytes > 100000 => 5
#include "profshim.h"
#include "truth.h"
#include <stdlib.h>

static void *blocks[200];

ALONE static void *make(size_t size)
{
	void *block = malloc(opaque(size));

	keep(block);
	return block;
}

ALONE static void work(int i)
{
	blocks[i] = make(100);
	free(make(50));
}

ALONE static void second_phase(void)
{
	int i;

	for (i = 0; i < 40; i++)
		free(blocks[i]);
	for (i = 100; i < 110; i++)
		work(i);
}

int main(void)
{
	int i;

	profshim_snapshot("begun");
	for (i = 0; i < 100; i++)
		work(i);
	profshim_snapshot("grown");
	second_phase();
	profshim_snapshot("begun");
	for (i = 40; i < 50; i++)
		free(blocks[i]);
	for (i = 100; i < 105; i++)
		free(blocks[i]);
	return 0;
}
