/* SPDX-License-Identifier: MIT */
/* The slot of a process in its segment file. Runs on: prof-analyze. */
#pragma once

#include <stdint.h>

#include "collector/live/attach_find.h"

/* *ret: the slot of the process; the youngest, if its number was used before; 0: there is
 * none. 0, or -EINVAL: the file is damaged. */
int attach_slot(const struct attach_files *files, uint32_t *ret);
