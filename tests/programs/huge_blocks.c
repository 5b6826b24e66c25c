/* SPDX-License-Identifier: MIT */
/* Blocks of more than 256 MiB and more than 4 GiB, which are mappings of their own, grow
 * with mremap and have sizes that do not fit into a word of the shadow map. Never touched
 * but for their ends. */
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(free_bytes), SUM(live_bytes),
//     SUM(realloc_count), SUM(largest_bytes) FROM allocation_sites WHERE name = 'grow' =>
//     5|$grown|$grown|0|4|$largest
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_bytes)
//     FROM allocation_sites WHERE name = 'hold' => 2|$held|$held
// mremap copies nothing
// expect-sql: SELECT SUM(realloc_copied_bytes) FROM allocation_sites WHERE name = 'grow' =>
//     0
// expect-sql: SELECT COUNT(*) FROM allocation_sites WHERE name = 'refuse' AND
//     alloc_bytes <> 300000000 => 0
// expect-sql: SELECT SUM(live_bytes) FROM allocation_sites WHERE name = 'refuse' => 0
// expect-sql: SELECT peak_bytes, live_bytes_at_exit FROM runs => $peak|$held
#include "truth.h"
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static const size_t steps[] = {300 * MIB, 600 * MIB + 1, 5000 * MIB, 257 * MIB, 100};

static void die(void)
{
	_exit(3);
}

ALONE static void grow(void)
{
	char *block = NULL;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		block = realloc(block, opaque(steps[i]));
		if (!block || malloc_usable_size(block) < steps[i])
			die();
		if (i && block[90] != 'm')
			die();
		block[90] = 'm';
		block[steps[i] - 1] = 'e';
	}
	free(block);
}

/* The size of a block just below and at the border between one word and two. */
ALONE static void hold(void)
{
	char *below = malloc(opaque(256 * MIB - 2)),
	     *at = calloc(opaque(256 * MIB - 1), 1);

	if (!below || !at || at[200 * MIB])
		die();
	keep(below);
	keep(at);
}

/* A realloc that fails keeps the block and its books. */
ALONE static void refuse(void)
{
	char *block = malloc(opaque(300000000)), *grown;

	keep(block);
	errno = 0;
	grown = realloc((void *)opaque((uintptr_t)block), opaque((size_t)1 << 60));
	keep(grown);
	if (!block || grown || errno != ENOMEM)
		die();
	block[299999999] = 'x';
	free(block);
}

int main(void)
{
	char line[200];
	int length;

	grow();
	hold();
	refuse();
	length = snprintf(line, sizeof(line), "grown=%zu largest=%zu held=%zu peak=%zu\n",
			  steps[0] + steps[1] + steps[2] + steps[3] + steps[4], steps[2],
			  512 * MIB - 3, steps[2]);
	return write(STDOUT_FILENO, line, (size_t)length) < 0;
}
