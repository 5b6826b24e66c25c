/* SPDX-License-Identifier: MIT */
/*
 * The functions that PROFSHIM_SNAPSHOT_AT names, looked for in the objects that are
 * recorded.
 */
#pragma once

#include <stddef.h>

#include "common/segment.h"

/* Reads PROFSHIM_SNAPSHOT_AT. 0: not understood. The constructor. */
int triggers_begin(const char *value);

/* A function that does this (TRIGGER_*) when it is called. Likewise. */
int triggers_watch(const char *text, size_t length, uint32_t action);

/* Looks for the named functions in an object that is recorded. Traced threads, under the
 * process lock. */
void triggers_look(const struct segment_module *module);
