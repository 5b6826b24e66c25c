/* SPDX-License-Identifier: MIT */
/* 24,389 ways through calls without frames are one path: what a program calls behind them is
 * no more merged with an outer call than it is without them. */
// variants: all
// settings: PROFSHIM_OVERHEAD=20
// tolerate: sampled_functions stopped_functions
// expect-sql: SELECT caller, callee, calls FROM call_edges WHERE callee IN ('again', 'step')
//     ORDER BY 2, 1 => late|again|1; main|again|1; third|step|24389
// expect-trust: merged_recursion => 0
#include "truth.h"

#define WARM 1000000u

static volatile unsigned sum;

/* These take long, so that they have frames. */
UNTRACED void take_long(void)
{
	for (unsigned i = 0; i < 2000; i++)
		sum += i;
}

ALONE static void step(unsigned way)
{
	take_long();
	sum += way;
}

#define TEN(with, tens)                                                                  \
	with(tens##0) with(tens##1) with(tens##2) with(tens##3) with(tens##4)            \
		with(tens##5) with(tens##6) with(tens##7) with(tens##8) with(tens##9)
#define NINE(with, tens)                                                                 \
	with(tens##0) with(tens##1) with(tens##2) with(tens##3) with(tens##4)            \
		with(tens##5) with(tens##6) with(tens##7) with(tens##8)
#define WAYS(with) TEN(with, ) TEN(with, 1) NINE(with, 2)
#define EACH 29

/* Each call has a place of its own. */
#define CALL(number)                                                                     \
	if (way % EACH == number) {                                                      \
		NEXT(way / EACH);                                                        \
		sum += number;                                                           \
	}

/* Where copies may be the place of a call is told, not only whose it is. */
static inline __attribute__((always_inline)) void copy(void)
{
	sum++;
}

ALONE static void third(unsigned way)
{
	copy();
	if (way >= WARM)
		return;
#define NEXT step
	WAYS(CALL)
#undef NEXT
}

ALONE static void second(unsigned way)
{
	copy();
	if (way >= WARM)
		return;
#define NEXT third
	WAYS(CALL)
#undef NEXT
}

ALONE static void first(unsigned way)
{
	copy();
	if (way >= WARM)
		return;
#define NEXT second
	WAYS(CALL)
#undef NEXT
}

static void again(int is_first);

ALONE static void late(void)
{
	take_long();
	again(0);
	sum++;
}

ALONE static void again(int is_first)
{
	take_long();
	for (unsigned i = 0; is_first && i < EACH * EACH * EACH; i++)
		first(i);
	if (is_first)
		late();
	sum++;
}

int main(void)
{
	for (unsigned i = 0; i < 2 * WARM; i++) {
		first(WARM);
		second(WARM);
		third(WARM);
	}
	again(1);
	return sum == 0;
}
