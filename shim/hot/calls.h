/* SPDX-License-Identifier: MIT */
/*
 * What this is:  entry and exit of functions, and the repairs when control leaves
 *                functions without their exit hook.
 * Runs on:       traced threads, any context.
 * Must not:      call libc or lock.
 * See also:      shim/hot/calls.c; shim/boot/wrappers.c for longjmp and catch
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

/* Control goes on at stack pointer `target` of the calling thread's stack: frames whose
 * function was called from below it are gone. Any context. */
void calls_unwind_to(uintptr_t target);
