/* SPDX-License-Identifier: MIT */
/*
 * Functions at whose entry or exit a snapshot is taken, a pause begins or ends, or that
 * are studied. Runs on: trigger_add: under the process lock; the rest: traced threads,
 * any context, slow paths of the call hooks.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

#define TRIGGER_LIMIT 64u

/* Addresses in the table; it only grows. */
extern hidden uint32_t trigger_count;

/* What else the calls of a function do: for the first two see record/pause.h. */
#define TRIGGER_FROM 1u
#define TRIGGER_UNTIL 2u
/* Its calls are studied, see shim/study/: as asked for, or found. */
#define TRIGGER_STUDY 4u
#define TRIGGER_FOUND 8u
#define TRIGGER_STUDIES (TRIGGER_STUDY | TRIGGER_FOUND)
/* Found for what its slow calls computed: who is below it need not be found. */
#define TRIGGER_COVERS 16u

struct trigger {
	uint64_t function;
	const char *enter_label, *exit_label; /* of the snapshots, or NULL; kept */
	uint32_t actions;
};

/* 0: the table is full. */
int trigger_add(const struct trigger *trigger);

int trigger_find(uint64_t function);

/* The labels of the snapshots of a call that begins, or has ended; NULL: none. */
const char *trigger_enter_label(uint64_t function);
const char *trigger_exit_label(uint64_t function);

/* TRIGGER_*, or 0. */
uint32_t trigger_actions(uint64_t function);
