/* SPDX-License-Identifier: MIT */
/* Functions that move control between functions and stacks. */
#pragma once

/* Finds out whether vfork is libc's. The constructor. */
void jumps_begin(void);
