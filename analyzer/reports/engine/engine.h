/* SPDX-License-Identifier: MIT */
/*
 * Reports that are .sql files: what one is, in C. scripts/embed_report.py makes the parts
 * of NAME.sql at build time; the engine binds what the user asked for, reads the rows of
 * each part once and adds them to a document. How such a file is written is in
 * analyzer/reports/sql/README.md.
 *
 * Must not know any report. Runs on: prof-analyze, main thread.
 */
#pragma once

#include "analyzer/reports/engine/part.h"

/* Fills the document: the run's head, then all parts (build.c). */
enum exit_status engine_build(const struct report *report, struct report_input *input,
			      struct doc *doc);
/* Fails with a sentence when --by has a word that the report does not know. */
enum exit_status engine_check_by(const struct report *report, struct report_input *input);
/* All parts; STATUS_NOTHING: the run had nothing to tell. */
enum exit_status engine_run(const struct report *report, struct report_input *input,
			    struct doc *doc, const struct run_facts *facts);
/* Adds the parts that stand in the report on one page, tables cut to limit rows (0: none
 * is). */
enum exit_status engine_add_brief(const struct report *report, struct report_input *input,
				  struct doc *doc, const struct run_facts *facts,
				  size_t limit);
