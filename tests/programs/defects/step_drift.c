/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: each step does a little more than the one before it.
 */
// expect: S1 step-drift
#include "background.h"
#include "profshim.h"

int main(void)
{
	for (unsigned i = 0; i < 400; i++) {
		profshim_step("frame");
		background(1, 4000 + 60 * i);
	}
	return 0;
}
