/* SPDX-License-Identifier: MIT */
/* What a forked child needs from the thread that forked. */
#pragma once

/* Registers handlers around fork(). The constructor. */
void fork_watch(void);
