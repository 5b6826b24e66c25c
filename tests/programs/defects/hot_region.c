/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a region of main() holds much of the run.
 */
// expect: T1 hot-leaf decode
#include "background.h"
#include "profshim.h"

int main(void)
{
	for (int i = 0; i < 100; i++) {
		background(1, 35000);
		profshim_region_begin("codec", "decode");
		background_sink = background_mix(background_sink, 1000000);
		profshim_region_end("codec", "decode");
	}
	return 0;
}
