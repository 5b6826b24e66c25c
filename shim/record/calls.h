/* SPDX-License-Identifier: MIT */
/*
 * Entry and exit of functions, begin and end of regions. Must not call libc or lock.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

/* The compiler's hooks, and ours by names that a program with hooks of its own does not
 * come before. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);
hidden void calls_enter(void *function, void *call_site);
hidden void calls_exit(void *function, void *call_site);

/* Begin and end of the region with this key (common/segment.h). stack: the caller's stack
 * pointer. An end belongs to the innermost open region of its key on the stack in use;
 * regions inside of it, up to the next function, are closed as unwound. Without one it is
 * an orphan. Any context. */
hidden void calls_begin_region(uint64_t key, uintptr_t stack);
hidden void calls_end_region(uint64_t key, uintptr_t stack);
