/* SPDX-License-Identifier: MIT */
/* What generators write tells lines of other files, and so does code from a header. It is one
 * function all the same, of the file that defines it; its sites have their own lines. */
// settings: PROFSHIM_LEVEL=exact
// expect-sql: SELECT name, file LIKE '%/odd_lines.c' FROM functions WHERE name LIKE 'generated%'
//     => generated|1
// expect-sql: SELECT REPLACE(file, RTRIM(file, REPLACE(file, '/', '')), ''), line, alloc_count
//     FROM allocation_sites s WHERE name LIKE 'generated%' ORDER BY line =>
//     grammar.y|7|1; odd_lines.c|19|1
#include <stdlib.h>

#include "truth.h"

static void *kept[2];

/* Its calls of malloc() are on stacks. */
__attribute__((no_instrument_function)) ALONE static void generated(void)
{
	kept[0] = malloc(opaque(10));
#line 7 "grammar.y"
	kept[1] = malloc(opaque(20));
#line 25 "odd_lines.c"
	keep(kept[0]);
}

int main(void)
{
	generated();
	free(kept[0]);
	free(kept[1]);
	return 0;
}
