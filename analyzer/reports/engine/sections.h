/* SPDX-License-Identifier: MIT */
/* Sections of reports that are computed in C: `:code NAME` is section_NAME(). */
#pragma once

#include "analyzer/reports/engine/ask.h"
#include "analyzer/reports/engine/engine.h"

#define SECTION_CODE(name)                                                               \
	enum exit_status section_##name(struct ask *ask, struct doc *doc,                \
					const struct table *rows)

/* Makes the functions gcc_visible(name) and gcc_word(visible), see exclude/parts.h. */
SECTION_CODE(gcc_words);
/* Makes the functions trust_word(name, what) and trust_text(name, value). */
SECTION_CODE(trust_words);
/* Makes the function package_of(path). */
SECTION_CODE(packages);
/* What keeps the programs that are the rows from being recorded: fills faulty. */
SECTION_CODE(executables);
/* Finds what delta is about: makes the tables moments_between and sites_between, and the
 * call tree one of the time in between. */
SECTION_CODE(moments);
/* Says which functions have no time of their own there, when there is a row. */
SECTION_CODE(left_out);
/* All call paths, both sides, into the document; of a page only. */
SECTION_CODE(compared_profile);
/* What the limits of compare say; the row: why numbers cannot be compared, and times. */
SECTION_CODE(gate);
/* Judges the studies that are the rows: fills the tables judged, slow and study_paths. */
SECTION_CODE(studies);
/* Walks the critical path: fills the tables walked, shares and on_threads. */
SECTION_CODE(critical);
/* What lies between snapshots, and over time; of a page only. */
SECTION_CODE(profile);
/* Lines of sources beside what was measured on them; of --source only. */
SECTION_CODE(source);

/* Reports that begin in C: `:build NAME`. */
enum exit_status compare_build(struct report_input *input, struct doc *doc);
