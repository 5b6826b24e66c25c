/* SPDX-License-Identifier: MIT */
/* What a program can ask and tell its allocator: mallinfo2, mallopt, malloc_trim and
 * malloc_info go to the real one and see the program's blocks as they are. */
// expect-sql: SELECT SUM(alloc_count), SUM(live_count) FROM allocation_sites WHERE name =
//     'measure' => 3|0
#include "truth.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char line[400];

ALONE static void measure(void)
{
	struct mallinfo2 before = mallinfo2(), during, after;
	void *small, *large, *mapped;

	/* sizes that nothing else has, so that no block freed before fits */
	small = malloc(opaque(2000));
	large = malloc(opaque(100000));
	mapped = malloc(opaque(3000000));
	during = mallinfo2();
	keep(small);
	keep(large);
	keep(mapped);
	free(small);
	free(large);
	free(mapped);
	after = mallinfo2();
	snprintf(line, sizeof(line),
		 "in use %zu, then %zu; mapped %zu in %zu, then %zu in %zu\n",
		 during.uordblks - before.uordblks, after.uordblks - before.uordblks,
		 during.hblkhd - before.hblkhd, during.hblks - before.hblks,
		 after.hblkhd - before.hblkhd, after.hblks - before.hblks);
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

int main(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream;

	/* the first malloc of all makes the allocator's own block */
	text = malloc(opaque(10));
	keep(text);
	free(text);
	text = NULL;
	measure();
	say(line);
	snprintf(line, sizeof(line), "mallopt gives %d\n",
		 mallopt(M_MMAP_THRESHOLD, 1 << 16));
	say(line);
	stream = open_memstream(&text, &size);
	snprintf(line, sizeof(line), "malloc_info gives %d, trim %d\n",
		 malloc_info(0, stream), malloc_trim(0) >= 0);
	fclose(stream);
	say(line);
	say(strstr(text, "<malloc version=") ? "and writes\n" : "and does not write\n");
	free(text);
	return 0;
}
