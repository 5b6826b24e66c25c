/* SPDX-License-Identifier: MIT */
/* What the rules find in a run as it is now. Must not change the run or its spool. */
#pragma once

#include "analyzer/reports/bottlenecks/parts.h"

struct judge {
	char *output; /* run.db of the run; owned, as is token */
	char *token;
	struct report_input *input; /* options; its db is judge's */
	struct doc doc;		    /* the head of what was read last */
	struct bottlenecks found;
	bool has_found;
};

/* Applies the rules to the run as it is in its spool now or, when it is over, to what was
 * stored of it. STATUS_NOTHING: there is nothing to judge yet, or nothing is left. Else
 * with input->error. What was found holds until the next call and judge_done(). */
enum exit_status judge_run(struct judge *judge);
void judge_done(struct judge *judge);
