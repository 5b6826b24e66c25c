/* SPDX-License-Identifier: MIT */
/* The end of the process. */
#pragma once

#include <stdint.h>

/* Registers the last exit handler. first: it waits for the collector. waiting: books what
 * exit() is about to write of streams, and tells how much that is. The constructor. */
void exit_watch(int first, unsigned int wait_ms, int64_t (*waiting)(void));
