/* SPDX-License-Identifier: MIT */
/* What this is:  a frame of 24 bytes, for reloads.c. */
#include "step.h"

STEP(24)
