/* SPDX-License-Identifier: MIT */
/* Jumps that no library function makes, so that nobody sees them: the compiler's
 * __builtin_longjmp. Counts are exact; what follows hangs under the functions left until
 * the function that the jump went to returns. */
// variants: lto
// expect-trust: repaired_frames => 400
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       catcher 100
//         thrower*4 100
//           after 100
//       regular 100
//         after 100
#include "truth.h"

static volatile unsigned sum;
static void *place[5];

ALONE static void after(void)
{
	sum++;
}

ALONE static void thrower(int levels)
{
	if (levels == 0)
		__builtin_longjmp(place, 1);
	if (levels > 0)
		thrower(levels - 1);
	sum++;
}

ALONE static void catcher(void)
{
	if (!__builtin_setjmp(place))
		thrower(3);
	after();
}

ALONE static void regular(void)
{
	after();
}

int main(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		catcher();
		regular();
	}
	return 0;
}
