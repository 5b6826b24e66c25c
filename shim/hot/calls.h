/* SPDX-License-Identifier: MIT */
/*
 * What this is:  entry and exit of functions.
 * Runs on:       traced threads, any context.
 * Must not:      call libc or lock.
 * See also:      shim/hot/calls.c; shim/hot/jump.h for functions that are left without
 *                their exit hook
 */
#pragma once

#include <stdint.h>

#include "shim/hot/lane.h"

/* The compiler's hooks, and ours by names that a program with hooks of its own does not
 * come before. */
void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);
hidden void calls_enter(void *function, void *call_site);
hidden void calls_exit(void *function, void *call_site);
