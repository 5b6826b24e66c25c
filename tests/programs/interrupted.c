/* SPDX-License-Identifier: MIT */
/* errno is EINTR when memory is allocated, in a function that has no unwind information.
 * (Whoever tests memory by system calls, as unwinders do, may take it for the calls'.) */
// hooks: no
// flags: -fno-asynchronous-unwind-tables -fno-unwind-tables
// expect-sql: SELECT SUM(alloc_count) FROM allocation_sites WHERE name = 'deep' => 1
#include "truth.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Deep enough for the stack to have pages that nobody has seen. */
ALONE static int deep(int depth)
{
	char pages[20000];
	void *block;
	int is_kept;

	memset(pages, depth, sizeof(pages));
	keep(pages);
	if (depth)
		return deep(depth - 1) + pages[7] * 0;
	errno = EINTR;
	block = malloc(100);
	is_kept = errno == EINTR;
	keep(block);
	free(block);
	keep(pages);
	return is_kept;
}

int main(void)
{
	return deep(20) ? 0 : 1;
}
