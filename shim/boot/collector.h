/* SPDX-License-Identifier: MIT */
/* The collector, started beside the program, and what the constructor waits for it to
 * answer. Runs on: the constructor. */
#pragma once

#include <stddef.h>

#include "shim/boot/config.h"

/* The collector, started beside the program. Runs on: the constructor. */

/* Starts profshim-collect, detached. Failure leaves a note: -ENOENT when it was not
 * found, the error of clone or exec otherwise. 0 also where none is wanted. */
int collector_start(const struct config *config);

/*
 * Rules about source files, of the start: lists the objects that they may
 * be about, and waits for the collector's answer. Runs on: the constructor, when the
 * process is recorded and its collector has been started.
 */

/* Puts the objects that call the hooks into the process's table, when there are such
 * rules. Before the collector is told to look. */
void rules_list_objects(void);

/* Waits until all of them are answered, SEGMENT_CONTROL_WAIT_MS at most. Those that are
 * not are counted; they are recorded until they are. */
void rules_wait(void);
