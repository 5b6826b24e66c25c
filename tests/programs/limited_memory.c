/* SPDX-License-Identifier: MIT */
/* A limit on address space, set when the program runs: malloc fails, the program copes,
 * and goes on when memory is there again. How many blocks it gets differs: the shim's map
 * of live blocks needs address space too. */
// expect-sql: SELECT SUM(alloc_count) - SUM(free_count) FROM allocation_sites WHERE
//     name IN ('fill', 'go_on') => 0
// expect-sql: SELECT SUM(alloc_count) FROM allocation_sites WHERE name = 'fill' => $filled
// expect-sql: SELECT SUM(alloc_count) FROM allocation_sites WHERE name = 'go_on' => 1000
#include "truth.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BLOCK_BYTES 50000
#define MOST 4000

static char *blocks[MOST];

UNTRACED void report(const char *format, int number)
{
	char line[80];
	int length = snprintf(line, sizeof(line), format, number);

	if (write(STDOUT_FILENO, line, (size_t)length) < 0)
		_exit(1);
}

static size_t address_space(void)
{
	char text[64] = "";
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || !fgets(text, sizeof(text), file))
		_exit(3);
	fclose(file);
	return strtoul(text, NULL, 10) * 4096;
}

ALONE static int fill(void)
{
	int count = 0;

	for (; count < MOST; count++) {
		errno = 0;
		blocks[count] = malloc(opaque(BLOCK_BYTES));
		if (!blocks[count])
			break;
		memset(blocks[count], count, BLOCK_BYTES);
	}
	report("full: %d\n", errno == ENOMEM && count > 100);
	return count;
}

ALONE static void fail(char *block)
{
	void *other = (void *)0x123, *same = (void *)opaque((uintptr_t)block);

	errno = 0;
	report("realloc fails: %d\n", !realloc(same, opaque(1 << 28)) && errno == ENOMEM);
	report("the block is whole: %d\n", block[BLOCK_BYTES - 1] == block[0]);
	errno = 0;
	report("calloc fails: %d\n",
	       !calloc(opaque(1 << 14), opaque(1 << 14)) && errno == ENOMEM);
	report("posix_memalign gives %d\n", posix_memalign(&other, 64, opaque(1 << 28)));
	report("nothing is stored: %d\n", other == (void *)0x123);
}

ALONE static void go_on(void)
{
	for (int i = 0; i < 1000; i++) {
		char *block = malloc(opaque(BLOCK_BYTES));

		if (!block)
			report("no memory: %d\n", i);
		keep(block);
		free(block);
	}
}

int main(void)
{
	struct rlimit limit = {0, 0};
	char line[80];
	int filled, i;

	limit.rlim_cur = limit.rlim_max = address_space() + (96 << 20);
	if (setrlimit(RLIMIT_AS, &limit))
		return 1;
	filled = fill();
	if (!filled)
		return 1;
	fail(blocks[0]);
	for (i = 0; i < filled; i++)
		free(blocks[i]);
	go_on();
	/* not with printf, which allocates */
	i = snprintf(line, sizeof(line), "truth: filled=%d\n", filled);
	return write(STDERR_FILENO, line, (size_t)i) < 0;
}
