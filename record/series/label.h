/* SPDX-License-Identifier: MIT */
/*
 * The labels of the runs in run.db, as a series of runs needs them. Must not change
 * anything but a label.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How many runs bear the label; 0 when there is no file. */
int64_t record_label_count(const char *output, const char *label);

/* The run has no hooks, and its times are those of the run hooked_run_id. false: the file
 * cannot be written (now). */
bool record_label_plain(const char *output, int64_t run_id, int64_t hooked_run_id);

/* The same. */
bool record_label_change(const char *output, int64_t run_id, const char *label);
