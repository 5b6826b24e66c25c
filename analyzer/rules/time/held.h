/* SPDX-License-Identifier: MIT */
/*
 * What each function computed itself, of the run: the longest thread's share in each
 * process, added up. Four threads that do the same for a second hold one second of the
 * run. Must not be asked of a run with one lane, where the table is empty.
 */
#pragma once

struct rule_input;

/* Keeps the table held: function_id, ns. 0 or -errno (then input->error is set). */
int held_keep(struct rule_input *input);
