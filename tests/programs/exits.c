/* SPDX-License-Identifier: MIT */
/* exit() in the depth of nested calls: handlers, also those that a handler
 * registers, and destructors call and allocate on top of the functions that are still
 * open. */
// variants: lto
// exit: 5
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-trust: open_frames => 5
// expect-tree:
//     main 1
//       descend*4 1
//         late 1
//           leaf 1 +1
//         by_handler 1
//           leaf 1 +1
//         early 1
//           leaf 1 +1
//         destructor 1
//           leaf 1 +1
#include "truth.h"
#include <stdlib.h>

static volatile unsigned sum;

ALONE static void leaf(void)
{
	void *block = malloc(opaque(10));

	keep(block);
	free(block);
}

/* Registered while the handlers run. */
ALONE static void by_handler(void)
{
	leaf();
}

ALONE static void late(void)
{
	leaf();
	atexit(by_handler);
}

ALONE static void early(void)
{
	leaf();
}

__attribute__((destructor)) ALONE static void destructor(void)
{
	leaf();
}

ALONE static void descend(int levels)
{
	if (levels == 0) {
		atexit(late);
		exit(5);
	}
	if (levels > 0)
		descend(levels - 1);
	sum++;
}

int main(void)
{
	atexit(early);
	descend(3);
	return 0;
}
