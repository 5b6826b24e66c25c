/* SPDX-License-Identifier: MIT */
/* What --focus and --ignore mean among the functions of the databases that are open. */
#pragma once

#include "analyzer/reports/report.h"

/* Tells the filter of all functions; a usage error when a text is neither a regular
 * expression nor the name of one. */
enum exit_status focus_resolve(struct report_input *input);

/* Sets input->names, owned by the caller (name_pool_free()), when people will read the
 * report. */
enum exit_status focus_collect(struct report_input *input);

/* Adds a note when no function has such a name, with the nearest that there are. */
void focus_note(struct report_input *input, struct doc *doc);
