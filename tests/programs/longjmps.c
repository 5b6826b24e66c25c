/* SPDX-License-Identifier: MIT */
/* longjmp over 11 frames, 100 times; siglongjmp; a jump within one function. Each frame
 * that is jumped over is closed and counted as repaired. */
// tolerate: repaired_frames
// expect-sql: SELECT calls FROM functions WHERE name = 'thrower' => 1100
// expect-sql: SELECT calls FROM functions WHERE name = 'after' => 151
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'after' ORDER BY caller
//     => catcher|100; local|1; sig_catcher|50
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'catcher' => main|100
// expect-sql: SELECT MAX(depth) FROM call_paths => 13
// expect-sql: SELECT TOTAL(value) FROM trust WHERE name = 'repaired_frames' => 1150
#include "truth.h"
#include <setjmp.h>

static volatile unsigned sum;
static jmp_buf place;
static sigjmp_buf sig_place;

ALONE static void thrower(int levels)
{
	if (levels < 0)
		return;
	if (levels == 0)
		longjmp(place, 1);
	thrower(levels - 1);
	sum++;
}

ALONE static void after(void)
{
	sum++;
}

ALONE static void catcher(void)
{
	if (!setjmp(place))
		thrower(10);
	after();
}

ALONE static void sig_thrower(void)
{
	siglongjmp(sig_place, 1);
}

ALONE static void sig_catcher(void)
{
	if (!sigsetjmp(sig_place, 1))
		sig_thrower();
	after();
}

ALONE static void local(void)
{
	if (!setjmp(place))
		longjmp(place, 1);
	after();
}

int main(void)
{
	int i;

	for (i = 0; i < 100; i++)
		catcher();
	for (i = 0; i < 50; i++)
		sig_catcher();
	local();
	return 0;
}
