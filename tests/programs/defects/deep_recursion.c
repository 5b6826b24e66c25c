/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a list of some thousand entries is walked by recursion.
 */
// expect: T12 deep-recursion walk_list
#include "background.h"

static __attribute__((noinline)) uint64_t walk_list(unsigned left)
{
	if (left == 0)
		return 1;
	return walk_list(left - 1) * 3 + left;
}

int main(void)
{
	background(50, 70000);
	background_sink += walk_list(5000);
	background(50, 70000);
	return 0;
}
