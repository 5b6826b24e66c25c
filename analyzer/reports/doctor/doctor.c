/* SPDX-License-Identifier: MIT */
/*
 * Why a recording is empty or partial, and what to do about it: of a run
 * sql/parts/examined.sql tells. Must not print; run the program that it examines.
 */
#include "analyzer/reports/doctor/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/doctor/package.h"
#include "analyzer/reports/engine/sections.h"

static struct cell package_of(void *context, const struct cell *values)
{
	struct ask *ask = context;

	strbuf_reset(&ask->text);
	if (values[0].kind != CELL_TEXT || !doctor_package(&ask->text, values[0].text))
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT, .text = strbuf_text(&ask->text)};
}

SECTION_CODE(packages)
{
	(void)doc, (void)rows;
	return rundb_function(ask->input->db, "package_of", 1, package_of, ask) < 0
		       ? report_fail_db(ask->input)
		       : STATUS_OK;
}

SECTION_CODE(executables)
{
	struct rundb_insert *faulty = rundb_insert_begin(ask->input->db, "faulty", 1);

	for (size_t i = 0; i < rows->row_count; i++) {
		const struct cell *path = table_cell(rows, i, "executable");

		if (doctor_program_notes(doc, path->text, true) > 0)
			rundb_insert_row(faulty, path);
	}
	return rundb_insert_end(faulty) < 0 ? report_fail_db(ask->input) : STATUS_OK;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	enum exit_status status = STATUS_OK;

	if (!input->db && !input->options->program)
		return report_fail(
			input, STATUS_USAGE,
			"doctor needs a database, or --program with a program");
	if (input->options->program)
		status = doctor_program(input, doc);
	return !status && input->db ? engine_build(&report_examined, input, doc) : status;
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
