/* SPDX-License-Identifier: MIT */
/*
 * Functions at whose entry or exit a snapshot is taken. Runs on: trigger_add: under the
 * process lock; the rest: traced threads, any context, slow paths of the call hooks.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

#define TRIGGER_LIMIT 64u

/* Addresses in the table; it only grows. */
extern hidden uint32_t trigger_count;

/* Labels of the snapshots at entry and exit, or NULL; kept. 0: the table is full. */
int trigger_add(uint64_t function, const char *enter_label, const char *exit_label);

int trigger_find(uint64_t function);

/* The labels of the snapshots of a call that begins, or has ended; NULL: none. */
const char *trigger_enter_label(uint64_t function);
const char *trigger_exit_label(uint64_t function);
