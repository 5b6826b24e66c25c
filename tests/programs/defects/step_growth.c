/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: every step keeps a block until the program ends.
 */
// expect: S3 step-growth
#include "background.h"
#include "profshim.h"

#include <stdlib.h>

#define STEPS 500

static void *kept[STEPS];

int main(void)
{
	for (int i = 0; i < STEPS; i++) {
		profshim_step("request");
		kept[i] = malloc(20000);
		background(1, 10000);
	}
	for (int i = 0; i < STEPS; i++)
		free(kept[i]);
	return 0;
}
