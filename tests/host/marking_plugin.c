/* SPDX-License-Identifier: MIT */
/* A library whose names lie in its own memory, which is gone when it is closed. WHO, a
 * string, tells it from the other one of marks.c. */
#include "../programs/truth.h"
#include "profshim.h"

void mark(void);

void mark(void)
{
	profshim_region_begin("plugin", WHO);
	profshim_step("step of " WHO);
	profshim_counter("counter of " WHO, 2);
	profshim_region_end("plugin", WHO);
}
