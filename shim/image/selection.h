/* SPDX-License-Identifier: MIT */
/* PROFSHIM_ONLY and PROFSHIM_SKIP, applied to the objects of the program. */
#pragma once

#include "common/segment.h"

struct segment_setting;

/* Takes the rules of this setting, which is copied; what was decided is void. The
 * constructor, and traced threads, under the lock. */
void selection_use(const struct segment_setting *setting);

/* Are there rules about source files or components? */
int selection_asks_for_sources(void);

/* Decides which functions of an object are off. Traced threads, under the lock. */
void selection_decide(const struct segment_module *module);
