/* SPDX-License-Identifier: MIT */
/* A function that one host both calls and has inlined, with frames, so that both are on one
 * path: what it calls without frames is its own or the host's, as the call sites say. */
// variants: all
// settings: PROFSHIM_OVERHEAD=1
// tolerate: sampled_functions stopped_functions
// expect-sql: SELECT callee, caller, calls FROM call_edges WHERE callee IN ('leaf', 'other_leaf')
//     AND caller <> 'warm' ORDER BY 1, 2 =>
//     leaf|call_first|300; leaf|mid|100; other_leaf|copy_first|300; other_leaf|other_mid|100
#include "truth.h"

#define INLINE static inline __attribute__((always_inline))

static volatile unsigned sum;

ALONE static void leaf(void)
{
	sum++;
}

ALONE static void other_leaf(void)
{
	sum += 2;
}

ALONE static void warm(void)
{
	for (unsigned i = 0; i < 2000000; i++) {
		leaf();
		other_leaf();
	}
	sum++;
}

INLINE void mid(void)
{
	sum += 3;
	leaf();
	sum += 3;
}

INLINE void other_mid(void)
{
	sum += 5;
	other_leaf();
	sum += 5;
}

static void (*volatile call_mid)(void) = mid;
static void (*volatile call_other_mid)(void) = other_mid;

ALONE static void call_first(void)
{
	call_mid();
	for (int i = 0; i < 3; i++)
		mid();
	sum++;
}

ALONE static void copy_first(void)
{
	for (int i = 0; i < 3; i++)
		other_mid();
	call_other_mid();
	sum++;
}

int main(void)
{
	warm();
	for (int i = 0; i < 100; i++) {
		call_first();
		copy_first();
	}
	return sum == 0;
}
