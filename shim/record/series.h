/* SPDX-License-Identifier: MIT */
/*
 * Steps and counters: what each thread notes of them. Runs on: traced threads, any
 * context; those of a handler that interrupts one are counted as lost. Must not call
 * libc or lock.
 */
#pragma once

#include "shim/lane/lane.h"

/* A mark of this name. name may be NULL (empty); it is copied. */
void series_step(const char *name);
void series_counter(const char *name, double value);
