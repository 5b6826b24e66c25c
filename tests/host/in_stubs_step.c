/* SPDX-License-Identifier: MIT */
/* What in_stubs.cpp interrupts. In C, whose functions may be left at any instruction. */

#define ALONE __attribute__((noinline, noclone))

volatile int has_computed;
static volatile unsigned long work;

ALONE void step(void)
{
	work = work + 1;
}

ALONE void steps(int count)
{
	for (int i = 0; i < count; i++)
		step();
}

ALONE void compute(void)
{
	for (;;) {
		for (int i = 0; i < 1000; i++)
			step();
		has_computed = 1;
	}
}
