/* SPDX-License-Identifier: MIT */
/* What the wrappers of all kinds of locks have in common. */
#pragma once

#include "common/attributes.h"

/* The functions behind ours that lock and that try are both libc's: to try first is the
 * same as to lock. */
extern hidden int locks_may_be_tried;

/* The constructor, when the real ones are known. */
void locks_begin(void);
