/* SPDX-License-Identifier: MIT */
/* Applies --focus and --ignore to the functions of the open databases. */
#pragma once

#include "analyzer/reports/report.h"

/* Tells the filter all functions. Ends the command if a text is neither a regular
 * expression nor a function's name. */
void focus_resolve(struct report_input *input);

/* Sets input->names if people will read the report. */
void focus_collect(struct report_input *input);

/* If no function has such a name, adds a note with the nearest names. */
void focus_note(struct report_input *input, struct doc *doc);
