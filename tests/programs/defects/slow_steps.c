/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: every sixtieth step does 300 times the work of the others.
 */
// expect: S2 slow-steps
#include "background.h"
#include "profshim.h"

int main(void)
{
	for (unsigned i = 0; i < 600; i++) {
		profshim_step("frame");
		background(i % 60 == 57 ? 300 : 1, 7000);
	}
	return 0;
}
