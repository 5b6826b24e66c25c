/* SPDX-License-Identifier: MIT */
/* PROFSHIM_ONLY and PROFSHIM_SKIP, applied to the objects of the program. */
#pragma once

#include "common/segment.h"

/* Takes the run's rules. The constructor, when the process is recorded. */
void selection_begin(void);

/* Decides which functions of an object are off. Traced threads, under the lock. */
void selection_decide(const struct segment_module *module);
