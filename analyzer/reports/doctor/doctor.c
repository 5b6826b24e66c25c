/* SPDX-License-Identifier: MIT */
/*
 * Why a recording is empty or partial, and what to do about it. Must not print; run the
 * program that it examines.
 */
#include "analyzer/reports/doctor/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/trust/trust.h"

#include "doctor.sql.h"

#define RECORDING_ROWS 20

/* What of the run is missing as a whole. */
static void explain_missing(struct doc *doc, const struct run_facts *facts, size_t *count)
{
	/* A killed collector may take its samples with it; trust tells of that. */
	bool has_samples = facts->sample_count || facts->wall_ns < 1000000000 ||
			   !(facts->complete || (facts->is_live && !facts->is_attended));

	if (!facts->calls)
		trust_explain_fact(doc, "no_calls", count);
	if (!facts->alloc_count)
		trust_explain_fact(doc, "no_allocations", count);
	if (!has_samples)
		trust_explain_fact(doc, "no_resources", count);
}

/* The programs that ran, when nothing was seen of them and they are still there. */
static enum exit_status examine_executables(struct report_input *input, struct doc *doc,
					    size_t *count)
{
	struct cursor *cursor = report_query(input, doctor_sql_executables);

	while (cursor_next(cursor) > 0)
		if (doctor_program_notes(doc, cursor_text(cursor, "executable"), true) >
		    0)
			++*count;
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}

/* How waits were seen, if they were looked for. */
static enum exit_status add_switches(struct report_input *input, struct doc *doc)
{
	struct cursor *cursor = report_query(input, doctor_sql_switches);

	if (cursor_next(cursor) > 0 && !cursor_is_null(cursor, "text"))
		doc_note(doc, "switches", NOTE_PLAIN, cursor_text(cursor, "text"), NULL);
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}

static enum exit_status examine_run(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	size_t count = 0;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	explain_missing(doc, &facts, &count);
	status = trust_explain(input, doc, &facts, &count);
	if (status == STATUS_OK)
		status = trust_add_recordings(input, doc, &facts, RECORDING_ROWS);
	if (status == STATUS_OK)
		status = add_switches(input, doc);
	if (status == STATUS_OK)
		status = doctor_modules(input, doc, &count);
	if (status == STATUS_OK && (!facts.calls || !facts.alloc_count))
		status = examine_executables(input, doc, &count);
	if (status == STATUS_OK && !count && !facts.complete)
		doc_note(doc, "not_stored", NOTE_WARNING,
			 facts.is_live ? "The run has not ended yet."
				       : "The run has not been stored: this is what "
					 "its spool says.",
			 facts.is_live ? NULL
				       : "Remove what keeps it from being stored (it "
					 "is told above); any command of prof-analyze "
					 "then stores it.");
	else if (status == STATUS_OK && !count)
		doc_note(doc, "healthy", NOTE_GOOD,
			 "Nothing is wrong with this recording.", NULL);
	return status;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	if (!input->db && !input->options->program)
		return report_fail(
			input, STATUS_USAGE,
			"doctor needs a database, or --program with a program");
	if (input->options->program) {
		enum exit_status status = doctor_program(input, doc);

		if (status)
			return status;
	}
	return input->db ? examine_run(input, doc) : STATUS_OK;
}

const struct report report_doctor = {
	.name = "doctor",
	.summary = "why a recording is empty or partial, and what to do",
	.description =
		"With a database: explains everything that keeps the run from being "
		"complete and exact, and how functions were recorded when not call by "
		"call. With --program: tells whether the shim can record "
		"that program (hooks compiled in, dynamic, not setuid, malloc of the C "
		"library), without running it.",
	.example = "prof-analyze doctor --program ./app",
	.takes = TAKES_RUN | TAKES_PROGRAM | TAKES_NO_DATABASE,
	.build = build,
};
