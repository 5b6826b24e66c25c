/* SPDX-License-Identifier: MIT */
/* PROFSHIM_ONLY and PROFSHIM_SKIP, applied to the objects of the program. */
#pragma once

#include "common/segment.h"

/* Takes the rules of the run. The constructor, before any function is known. */
void selection_begin(void);

/* Are there rules about source files? */
int selection_asks_for_sources(void);

/* Decides which functions of an object are off. Traced threads, under the lock. */
void selection_decide(const struct segment_module *module);
