/* SPDX-License-Identifier: MIT */
/* clang's musttail: the caller's exit comes before the call, so the next function is a
 * sibling, a million in a row on a stack that does not grow. */
// variants: clang lto
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       state_one 500000
//       state_two 500000
//       finish 1
#include "truth.h"

static volatile unsigned sum;

ALONE static unsigned finish(unsigned left)
{
	return left;
}

static unsigned state_two(unsigned left);

ALONE static unsigned state_one(unsigned left)
{
	sum++;
	__attribute__((musttail)) return state_two(left - 1);
}

ALONE static unsigned state_two(unsigned left)
{
	sum++;
	if (left == 1)
		__attribute__((musttail)) return finish(left);
	__attribute__((musttail)) return state_one(left - 1);
}

int main(void)
{
	return state_one(1000000) == 1 && sum == 1000000 ? 0 : 1;
}
