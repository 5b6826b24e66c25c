/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: most of a run goes by before the first of many steps.
 */
// expect: T13 start-up-cost main
#include "background.h"
#include "profshim.h"

int main(void)
{
	background(120, 35000);
	for (int i = 0; i < 1200; i++) {
		profshim_step("request");
		background(1, 1750);
	}
	return 0;
}
