/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: columns grow by room for one entry at a time.
 */
// expect: M4 realloc-growth append
#include "background.h"

#include <stdlib.h>

#define COLUMNS 16

struct column {
	uint64_t *entries;
	size_t count;
};

static struct column columns[COLUMNS];

static __attribute__((noinline)) void append(unsigned first, uint64_t value)
{
	for (unsigned i = first; i < first + 4; i++) {
		struct column *column = &columns[i];

		column->entries = realloc(column->entries,
					  (column->count + 1) * sizeof(*column->entries));
		if (!column->entries)
			abort();
		column->entries[column->count++] = value;
	}
}

/* Several columns grow in turn, so none stands at the end of the heap. */
static __attribute__((noinline)) void add_record(uint64_t number)
{
	for (unsigned i = 0; i < COLUMNS; i += 4)
		append(i, number);
}

static __attribute__((noinline)) void read_block(uint64_t first)
{
	for (uint64_t i = 0; i < 50; i++)
		add_record(first + i);
}

static __attribute__((noinline)) void read_file(void)
{
	for (uint64_t i = 0; i < 80; i++)
		read_block(50 * i);
}

int main(void)
{
	background(2, 50000);
	for (int i = 0; i < 40; i++) {
		read_file();
		for (int k = 0; k < COLUMNS; k++) {
			free(columns[k].entries);
			columns[k] = (struct column){0};
		}
	}
	return 0;
}
