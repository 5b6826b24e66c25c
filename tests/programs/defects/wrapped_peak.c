/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: all records are held in memory; every block of the program comes
 *                from wrappers of malloc, of which nobody can learn who has them.
 */
// expect: M7 peak-owner load_records
#include "background.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS 64
#define RECORD_BYTES (1 << 20)

static __attribute__((noinline)) void *checked_malloc(size_t size)
{
	void *block = malloc(size);

	if (!block)
		abort();
	return block;
}

static __attribute__((noinline)) void *xmalloc(size_t size)
{
	return checked_malloc(size ? size : 1);
}

static __attribute__((noinline)) char *copy_text(const char *text)
{
	return memcpy(xmalloc(strlen(text) + 1), text, strlen(text) + 1);
}

static char *records[RECORDS];

static __attribute__((noinline)) void load_records(void)
{
	for (size_t i = 0; i < RECORDS; i++) {
		records[i] = xmalloc(RECORD_BYTES + 64 * i);
		/* all of it takes a busy machine long */
		memset(records[i], 1, RECORD_BYTES / 16);
	}
}

#define SMALL_USER(name, size)                                                           \
	static __attribute__((noinline)) void name(void)                                 \
	{                                                                                \
		char *block = xmalloc(size);                                             \
                                                                                         \
		background_sink += (uintptr_t)block;                                     \
		background(30, 50000);                                                   \
		free(block);                                                             \
	}
SMALL_USER(read_settings, 300)
SMALL_USER(open_log, 4000)
SMALL_USER(draw_title, 70)
SMALL_USER(count_words, 1200)

int main(void)
{
	char *title = copy_text("a title");

	load_records();
	read_settings();
	open_log();
	draw_title();
	count_words();
	free(title);
	for (size_t i = 0; i < RECORDS; i++)
		free(records[i]);
	return 0;
}
