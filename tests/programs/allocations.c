/* SPDX-License-Identifier: MIT */
/* Every function of the malloc family, with exact counts, bytes, live bytes and the
 * exact share of the peak. Nothing here uses stdio, so the run's own sums are exact. */
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_count), SUM(free_bytes),
//     SUM(live_bytes) FROM allocation_sites WHERE name = 'with_malloc' =>
//     100|100000|90|90000|10000
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_bytes) FROM
//     allocation_sites WHERE name = 'with_calloc' => 10|3000|3000
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_count), SUM(free_bytes),
//     SUM(realloc_count) FROM allocation_sites WHERE name = 'with_realloc' =>
//     3|7000|3|7000|2
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'with_posix_memalign' => 1|100
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'with_aligned_alloc' => 1|128
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'with_memalign' => 1|77
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'with_valloc' => 1|200
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'with_pvalloc' => 1|4096
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'with_reallocarray' => 1|600
// expect-sql: SELECT COUNT(*), SUM(c.alloc_count), SUM(c.alloc_bytes), MIN(c.name LIKE
//     '%strdup'), MIN(c.kind) FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id WHERE p.name = 'with_strdup' => 1|1|12|1|frame
// expect-sql: SELECT name, SUM(at_peak_bytes), SUM(peak_bytes) FROM allocation_sites WHERE
//     name LIKE 'hold_%' GROUP BY name ORDER BY name =>
//     hold_a|1048576|1048576; hold_b|2097152|2097152; hold_c|0|524288
// expect-sql: SELECT SUM(at_peak_bytes), SUM(at_peak_count) FROM allocation_sites =>
//     3163941|29
// expect-sql: SELECT alloc_count, alloc_bytes, free_count, peak_bytes, live_bytes_at_exit
//     FROM runs => 123|3785229|96|3163941|18213
// expect-sql: SELECT alloc_count, alloc_bytes, peak_bytes, live_bytes_at_exit FROM
//     processes => 123|3785229|3163941|18213
// expect-sql: SELECT file LIKE '%/allocations.c', MAX(largest_bytes) FROM allocation_sites
//     WHERE name = 'hold_b' => 1|2097152
#include "truth.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void *blocks[10];

ALONE static void with_malloc(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		free(blocks[i % 10]);
		blocks[i % 10] = malloc(1000);
		keep(blocks[i % 10]);
	}
}

ALONE static void with_calloc(void)
{
	int i;

	for (i = 0; i < 10; i++)
		keep(calloc(3, 100));
}

ALONE static void with_realloc(void)
{
	char *block = realloc(NULL, opaque(1000));

	keep(block);
	block = realloc(block, opaque(2000));
	keep(block);
	block = realloc(block, opaque(4000));
	keep(block);
	free(block);
}

ALONE static int with_posix_memalign(void)
{
	void *block = NULL;
	int error = posix_memalign(&block, 64, 100);

	keep(block);
	return error || (uintptr_t)block % 64;
}

ALONE static void with_aligned_alloc(void)
{
	keep(aligned_alloc(64, opaque(128)));
}

ALONE static void with_memalign(void)
{
	keep(memalign(32, opaque(77)));
}

ALONE static void with_valloc(void)
{
	keep(valloc(opaque(200)));
}

ALONE static void with_pvalloc(void)
{
	keep(pvalloc(opaque(4096)));
}

ALONE static void with_reallocarray(void)
{
	keep(reallocarray(NULL, opaque(6), 100));
}

ALONE static void with_strdup(const char *text)
{
	keep(strdup(text));
}

ALONE static void *hold_a(void)
{
	return malloc(opaque(1 << 20));
}

ALONE static void *hold_b(void)
{
	return malloc(opaque(2 << 20));
}

ALONE static void *hold_c(void)
{
	return malloc(opaque(512 << 10));
}

/* The peak is while a and b are both there. */
ALONE static void peak(void)
{
	void *a = hold_a(), *b = hold_b();

	keep(a);
	keep(b);
	free(a);
	a = hold_c();
	keep(a);
	free(a);
	free(b);
}

int main(void)
{
	with_malloc();
	with_calloc();
	with_realloc();
	if (with_posix_memalign())
		return 1;
	with_aligned_alloc();
	with_memalign();
	with_valloc();
	with_pvalloc();
	with_reallocarray();
	with_strdup("hello world");
	peak();
	return 0;
}
