/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program without a defect: regions in loops are no calls that could be
 *                spared, be they many or tiny.
 */
#include "background.h"
#include "profshim.h"

static __attribute__((noinline)) void print_page(void)
{
	for (int row = 0; row < 50; row++) {
		profshim_region_begin("print", "row");
		for (int cell = 0; cell < 700; cell++) {
			profshim_region_begin("print", "cell");
			background_sink++;
			profshim_region_end("print", "cell");
		}
		background(1, 200);
		profshim_region_end("print", "row");
	}
}

int main(void)
{
	for (int page = 0; page < 200; page++)
		print_page();
	return 0;
}
