/* SPDX-License-Identifier: MIT */
/*
 * The command archive: adds recordings to an archive; what it shows is
 * ../sql/archive.sql. Must not stop at a file that cannot be read without saying what was
 * added before.
 */
#include "analyzer/archive/archive.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "added.sql.h"

struct adding {
	struct report_input *input;
	struct archive_added *runs;
	size_t count;
};

/* All runs of one recording. */
static void add_runs(struct adding *adding, struct rundb *db)
{
	const struct report_options *options = adding->input->options;
	auto_cursor struct cursor *cursor = rundb_query(db, added_sql_runs);

	while (cursor_next(cursor)) {
		ARRAY_ADD(adding->runs, adding->count) =
			archive_add(db, cursor_integer(cursor, "run_id"), options->tags,
				    options->tag_count);
		strbuf_reset(&command_failure_end);
		strbuf_printf(&command_failure_end,
			      "; %zu %s before it %s in the archive", adding->count,
			      adding->count == 1 ? "run" : "runs",
			      adding->count == 1 ? "is" : "are");
	}
}

static void add(struct adding *adding)
{
	struct report_input *input = adding->input;
	const struct report_options *options = input->options;

	if (!options->file_count)
		command_fail(STATUS_USAGE, "archive add needs recordings, such as: %s",
			     report_archive.example);
	archive_open(options->archive);
	for (size_t i = 0; i < options->file_count; i++) {
		struct rundb *db = input->open(input, options->files[i]);

		add_runs(adding, db);
		rundb_close(db);
	}
	archive_close();
	strbuf_reset(&command_failure_end);
}

/* The table `added`: the archive's numbers of the runs, and which are new. */
static void keep_added(struct adding *adding)
{
	struct rundb_insert *insert =
		rundb_fill(adding->input->db, "added", added_sql_added);

	for (size_t i = 0; i < adding->count; i++)
		rundb_insert_row(insert,
				 (struct cell[]){cell_integer(adding->runs[i].run_id),
						 cell_integer(adding->runs[i].is_new)});
	rundb_insert_end(insert);
}

enum exit_status archive_build(struct report_input *input, struct doc *doc)
{
	const char *verb = input->options->argument;
	struct adding adding = {.input = input};

	if (strcmp(verb, "add") == 0)
		add(&adding);
	else if (strcmp(verb, "list") != 0 || input->options->file_count)
		command_fail(STATUS_USAGE,
			     "archive: it is 'archive add ARCHIVE DB...' or "
			     "'archive list ARCHIVE'");
	if (rundb_open_archive(input->options->archive, &input->db, &input->error) < 0)
		command_fail_lines(STATUS_FAILED, strbuf_text(&input->error));
	keep_added(&adding);
	return engine_build(&report_archive, input, doc);
}
