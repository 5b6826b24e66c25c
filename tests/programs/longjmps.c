/* SPDX-License-Identifier: MIT */
/* longjmp over 11 frames, 100 times; siglongjmp; a jump within one function. Each frame
 * that is jumped over is closed and counted as repaired. */
// variants: lto
// expect-trust: repaired_frames => 1150
// expect-sql: SELECT name, unwound_count FROM functions WHERE unwound_count > 0 ORDER BY name
//     => sig_thrower|50; thrower|1100
// expect-sql: SELECT COUNT(*), MIN(unwound_count), MAX(unwound_count) FROM call_paths WHERE
//     name = 'thrower' => 11|100|100
// expect-tree:
//     main 1
//       catcher 100
//         after 100
//         thrower*11 100
//       sig_catcher 50
//         sig_thrower 50
//         after 50
//       local 1
//         after 1
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
