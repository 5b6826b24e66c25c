/* SPDX-License-Identifier: MIT */
/* Sections of reports that C computes: `:code NAME` calls section_NAME(). */
#pragma once

#include "analyzer/reports/engine/ask.h"
#include "analyzer/reports/engine/engine.h"

#define SECTION_CODE(name)                                                               \
	void section_##name(struct ask *ask, struct doc *doc, const struct table *rows)

/* Makes the functions gcc_visible(name) and gcc_word(visible), see exclude/parts.h. */
SECTION_CODE(gcc_words);
/* Makes the functions trust_word(name, what) and trust_text(name, value). */
SECTION_CODE(trust_words);
/* Makes the function package_of(path). */
SECTION_CODE(packages);
/* Fills faulty: why each of the given programs could not be recorded. */
SECTION_CODE(executables);
/* Finds the moments of delta: makes the tables moments_between and sites_between, and
 * makes the call tree that of the time between. */
SECTION_CODE(moments);
/* With a row: says which functions have no time of their own there. */
SECTION_CODE(left_out);
/* Adds all call paths of both sides to the document; for pages only. */
SECTION_CODE(compared_profile);
/* Judges the limits of compare. The row: why numbers cannot be compared, and why times
 * cannot. */
SECTION_CODE(gate);
/* Fills growth_limit with what --fail-on asks of scaling. */
SECTION_CODE(growth_limits);
/* Judges the studies in the rows: fills the tables judged, slow and study_paths. */
SECTION_CODE(studies);
/* Finds the critical path: fills the tables walked, shares and on_threads. */
SECTION_CODE(critical);
/* Adds what lies between snapshots and over time; for pages only. */
SECTION_CODE(profile);
/* Adds source lines with what was measured on them; for --source only. */
SECTION_CODE(source);

/* Reports that C builds from the start: `:build NAME`. */
enum exit_status archive_build(struct report_input *input, struct doc *doc);
enum exit_status history_build(struct report_input *input, struct doc *doc);
enum exit_status compare_build(struct report_input *input, struct doc *doc);
