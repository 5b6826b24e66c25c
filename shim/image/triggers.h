/* SPDX-License-Identifier: MIT */
/*
 * The functions that PROFSHIM_SNAPSHOT_AT and others name, looked for in the objects that
 * are recorded, and marks that PROFSHIM_WHY names.
 */
#pragma once

#include <stddef.h>

#include "common/segment.h"

/* Reads PROFSHIM_SNAPSHOT_AT. 0: not understood. The constructor. */
int triggers_begin(const char *value);

/* A function that does this (TRIGGER_*) when it is called. Likewise. */
int triggers_watch(const char *text, size_t length, uint32_t action);

/* A region or a step has this name: what is asked of it (TRIGGER_*). Traced threads, any
 * context. */
uint32_t triggers_of_mark(const char *name);

/* Looks for the named functions in an object that is recorded. Traced threads, under the
 * process lock. */
void triggers_look(const struct segment_module *module);
