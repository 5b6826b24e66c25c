/* SPDX-License-Identifier: MIT */
/*
 * What a run's time was spent on, as far as the recording tells: the base of all rules
 * about time. Must not count processes in which no instrumented function was called,
 * such as a shell that waits for the program.
 */
#pragma once

#include "analyzer/rules/rule.h"

/* A shorter look at /proc says nothing. */
#define TIME_RUN_SPAN_LEAST_NS 50e6

/* Loads it, before any rule is asked, and keeps the table root_lane. 0 or -errno (then
 * input->error is set). */
int time_run_load(struct rule_input *input, struct time_run *ret);
