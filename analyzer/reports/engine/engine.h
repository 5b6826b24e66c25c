/* SPDX-License-Identifier: MIT */
/*
 * Reports that are .sql files, as C sees them. scripts/embed_report.py turns NAME.sql
 * into parts at build time. The engine binds the user's options, reads the rows of each
 * part once and adds them to a document. analyzer/reports/sql/README.md says how such a
 * file is written.
 *
 * Must not know any report. Runs on: prof-analyze, main thread.
 */
#pragma once

#include "analyzer/reports/engine/part.h"

/* Fills the document: the head about the run, then all parts (build.c). */
enum exit_status engine_build(const struct report *report, struct report_input *input,
			      struct doc *doc);
/* Ends the command when --by has a word that the report does not know. */
void engine_check_by(const struct report *report, const struct report_input *input);
/* Adds all parts. STATUS_NOTHING: the run has nothing for this report. */
enum exit_status engine_run(const struct report *report, struct report_input *input,
			    struct doc *doc);
/* Adds the parts that the report on one page has. Tables are cut to limit rows;
 * 0: they are not. */
void engine_add_brief(const struct report *report, struct report_input *input,
		      struct doc *doc, size_t limit);
