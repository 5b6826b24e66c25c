/* SPDX-License-Identifier: MIT */
/* What this is:  a frame of 40 bytes, for reloads.c. */
#include "step.h"

STEP(40)
