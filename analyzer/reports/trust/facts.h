/* SPDX-License-Identifier: MIT */
/* The facts of a run. */
#pragma once

#include "analyzer/reports/report.h"

/* Loads input->facts. */
void run_facts_load(struct report_input *input);
/* A fact by the name of its column; 0 if it is not known. */
double run_fact(const struct run_facts *facts, const char *name);
/* The same for texts, cleaned; NULL: not known. */
const char *run_fact_text(const struct run_facts *facts, const char *name);
/* "run 7 'label': ./app", of the chosen thread. Owned by the caller. */
char *run_facts_title(const struct report_input *input, const char *thread);
/* The recorder's cost in percent of the recorded time. */
struct hooks_cost run_facts_hooks(const struct run_facts *facts);
/* What the program's functions computed, over all threads and without hooks; if waits
 * were not told apart, all their time. Shares of functions refer to it. The error is
 * larger than the sum's if time and error together exceed what threads computed. */
struct hooks_cost run_facts_program(const struct run_facts *facts);
/* The hooks' part of the waits for a CPU, which is in the program's time, */
double run_facts_hooks_waited_ns(const struct run_facts *facts);
/* and adds to the error of the run's time. */
double run_facts_error_ns(const struct run_facts *facts);
/* Whether nothing was recorded: no calls, allocations or samples of CPU time. */
bool run_facts_empty(const struct run_facts *facts);
