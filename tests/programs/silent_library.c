/* SPDX-License-Identifier: MIT */
/* Samples in a library that nothing else of the recording has met: no hook and no allocation
 * leads there. They have the library's name. */
// variants: all
// expect-sql: SELECT COUNT(*) FROM sample WHERE kind = 0 AND module IS NULL => 0
// expect-sql: SELECT name, calls FROM functions WHERE name = 'clear' => clear|400000
#include "truth.h"

#include <string.h>

static char page[1 << 14];
static volatile size_t size = sizeof(page);

ALONE static void clear(int with)
{
	memset(page, with, size);
}

int main(void)
{
	for (int i = 0; i < 400000; i++)
		clear(i);
	return page[7] == (char)399999 ? 0 : 1;
}
