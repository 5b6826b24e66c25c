/* SPDX-License-Identifier: MIT */
#pragma once

/* The constructor: finds room for code of ours between a program that is linked to its
 * address and its heap. Without enough of it the heap begins later. */
void heap_begin(void);
