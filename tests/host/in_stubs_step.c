/* SPDX-License-Identifier: MIT */
/* What in_stubs.cpp interrupts. In C, whose functions may be left at any instruction. */
#include "short_steps.h"

volatile int has_computed;

ALONE void compute(void)
{
	for (;;) {
		for (int i = 0; i < 1000; i++)
			step();
		has_computed = 1;
	}
}
