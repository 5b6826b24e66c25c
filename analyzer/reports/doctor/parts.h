/* SPDX-License-Identifier: MIT */
/* The examination of a program, for doctor. */
#pragma once

#include "analyzer/reports/report.h"

/* Examines the file of --program; ends the command when there is no such program. */
struct target_report;
void doctor_examine(struct report_input *input, struct target_report *ret);
/* Says what it is. */
void doctor_program(struct report_input *input, struct doc *doc);
/* Adds a note for each thing that prevents recording the file; others too unless
 * only_faults. Returns the number of notes; 0 for a file that cannot be examined. */
size_t doctor_program_notes(struct doc *doc, const char *path, bool only_faults);
