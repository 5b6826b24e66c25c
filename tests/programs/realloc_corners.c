/* SPDX-License-Identifier: MIT */
/* The corners of the malloc family: what fails counts for nothing, and errno is what it
 * would be without us. */
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_count), SUM(live_count),
//     SUM(realloc_count) FROM allocation_sites WHERE name = 'to_nothing' => 1|100|1|0|0
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_bytes),
//     SUM(realloc_count) FROM allocation_sites WHERE name = 'fails' => 1|100|100|0
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_bytes), SUM(live_bytes),
//     SUM(realloc_count), SUM(realloc_old_bytes) FROM allocation_sites
//     WHERE name = 'same_size' => 11|1100|1000|100|10|1000
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_bytes),
//     SUM(realloc_count) FROM allocation_sites WHERE name = 'shrinks' => 2|10100|100|1
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(realloc_count),
//     SUM(realloc_copied_bytes), SUM(realloc_old_bytes) FROM allocation_sites
//     WHERE name = 'moves' => 3|300064|1|100000|100000
// expect-sql: SELECT SUM(realloc_old_bytes) FROM allocation_sites WHERE name = 'shrinks' =>
//     10000
// expect-sql: SELECT COUNT(*) FROM allocation_sites WHERE name IN ('overflows',
//     'frees_nothing') => 0
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_count) FROM
//     allocation_sites WHERE name = 'empty' => 3|0|2
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_bytes) FROM
//     allocation_sites WHERE name = 'grows_by_another' => 1|10|0
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_bytes) FROM
//     allocation_sites WHERE name = 'other_grows' => 1|5000|5000
// expect-sql: SELECT alloc_count - free_count, live_bytes_at_exit FROM runs => 7|205364
#include "truth.h"
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HUGE_SIZE (SIZE_MAX / 2)

/* printf would allocate a buffer of its own. */
static void report(const char *what, int number)
{
	char line[80];
	int length = snprintf(line, sizeof(line), "%s %d\n", what, number);

	if (write(STDOUT_FILENO, line, (size_t)length) < 0)
		_exit(1);
}

ALONE static void to_nothing(void)
{
	void *block = malloc(opaque(100));

	keep(block);
	block = realloc(block, opaque(0));
	report("realloc to 0 gives null:", block == NULL);
}

ALONE static void fails(void)
{
	char *block = malloc(opaque(100)), *bigger;
	uintptr_t address = (uintptr_t)block;

	block[99] = 7;
	errno = 0;
	bigger = realloc(block, opaque(HUGE_SIZE));
	block = (char *)opaque(address);
	report("huge realloc errno:", errno);
	report("block is whole:", bigger == NULL && block[99] == 7);
	keep(block);
}

ALONE static void same_size(void)
{
	void *block = malloc(opaque(100));
	int i;

	for (i = 0; i < 10; i++) {
		block = realloc(block, opaque(100));
		keep(block);
	}
}

ALONE static void shrinks(void)
{
	void *block = malloc(opaque(10000));

	keep(block);
	block = realloc(block, opaque(100));
	keep(block);
}

/* A block right behind the first one keeps it from growing where it is. */
ALONE static void moves(void)
{
	void *block = malloc(opaque(100000)), *wall = malloc(opaque(64)), *moved;
	uintptr_t before = (uintptr_t)block;

	keep(wall);
	keep(block);
	moved = realloc(block, opaque(200000));
	keep(moved);
	report("moved:", (uintptr_t)moved != before);
}

ALONE static void overflows(void)
{
	void *block = NULL;

	errno = 0;
	keep(calloc(opaque(HUGE_SIZE), opaque(16)));
	report("calloc overflow errno:", errno);
	errno = 0;
	keep(reallocarray(NULL, opaque(HUGE_SIZE), opaque(16)));
	report("reallocarray overflow errno:", errno);
	errno = 0;
	keep(malloc(opaque(HUGE_SIZE + 100)));
	report("malloc huge errno:", errno);
	errno = 0;
	report("posix_memalign bad alignment:", posix_memalign(&block, opaque(3), 10));
	report("posix_memalign errno:", errno);
	errno = 0;
	keep(aligned_alloc(opaque(64), opaque(HUGE_SIZE)));
	report("aligned_alloc huge errno:", errno);
}

ALONE static void frees_nothing(void)
{
	errno = 42;
	free(NULL);
	report("free keeps errno:", errno);
	report("usable size of nothing:", (int)malloc_usable_size(NULL));
}

ALONE static void empty(void)
{
	void *first = malloc(opaque(0)), *second = calloc(opaque(0), opaque(5)),
	     *third = realloc(NULL, opaque(0));

	report("empty blocks differ:", first && second && third && first != second &&
					       second != third && first != third);
	keep(first);
	keep(second);
	keep(third);
	free(first);
	errno = 42;
	free(second);
	report("free keeps errno:", errno);
}

ALONE static void other_grows(void **block)
{
	*block = realloc(*block, opaque(5000));
	keep(*block);
}

ALONE static void grows_by_another(void)
{
	void *block = malloc(opaque(10));

	keep(block);
	report("usable:", malloc_usable_size(block) >= 10);
	other_grows(&block);
}

int main(void)
{
	to_nothing();
	fails();
	same_size();
	shrinks();
	moves();
	overflows();
	frees_nothing();
	empty();
	grows_by_another();
	return 0;
}
