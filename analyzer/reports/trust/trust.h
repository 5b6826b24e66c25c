/* SPDX-License-Identifier: MIT */
/* How far a run's numbers can be trusted, in a line and in detail. */
#pragma once

#include "analyzer/reports/trust/facts.h"

/* Adds the trust line for people and the section "trust" for machines. */
enum exit_status trust_add(struct report_input *input, struct doc *doc,
			   const struct run_facts *facts);
/* Adds a note with explanation and advice for everything that is not as it should be.
 * Returns how many through ret_count. */
enum exit_status trust_explain(struct report_input *input, struct doc *doc,
			       const struct run_facts *facts, size_t *ret_count);
/* The same of a fact that no counter tells, by its name in common/trust.c. */
void trust_explain_fact(struct doc *doc, const char *name, size_t *ret_count);
/* "exit 0", "killed by SIGSEGV", "still running" or "how it ended is not known". */
void trust_describe_end(struct strbuf *buffer, const struct run_facts *facts);
/* Adds a table of the functions that were not recorded call by call, why and since when,
 * for people only when there are any, and what became of a budget. */
enum exit_status trust_add_recordings(struct report_input *input, struct doc *doc,
				      const struct run_facts *facts, size_t limit);
/* What the program itself computed: a budget is a part of it. Where computing was not
 * told from waiting, what it took. */
double trust_own_ns(const struct run_facts *facts);
/* Whether a cost is beyond the budget, for sure. */
bool trust_is_over_budget(const struct run_facts *facts, struct hooks_cost cost);
/* "92.3% +-4.1%" of a share in percent. */
void trust_put_percent(struct strbuf *buffer, struct hooks_cost percent);
/* Why functions were counted and not timed, and what would have timed them. */
void trust_put_no_samples(struct strbuf *text, const struct run_facts *facts);
/* The name of a signal: "SIGKILL", or "signal 77". */
void trust_signal_name(struct strbuf *buffer, int signal_number);
/* Whether a counter of trust, when not 0, means that numbers are missing. */
bool trust_is_loss(const char *name);
