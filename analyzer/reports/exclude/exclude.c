/* SPDX-License-Identifier: MIT */
/* The report exclude-list: of a program's file, or of a run, which sql/parts/excluded.sql
 * shows. */
#include "analyzer/reports/exclude/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

static struct cell put(struct ask *ask, const struct cell *value,
		       void (*word)(struct strbuf *buffer, const char *name))
{
	strbuf_reset(&ask->text);
	if (value->kind == CELL_TEXT)
		word(&ask->text, value->text);
	if (!ask->text.size)
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT, .text = strbuf_text(&ask->text)};
}

static struct cell visible(void *ask, const struct cell *values)
{
	return put(ask, &values[0], exclude_visible);
}

static struct cell word(void *ask, const struct cell *values)
{
	return put(ask, &values[0], exclude_word);
}

SECTION_CODE(gcc_words)
{
	struct rundb *db = ask->input->db;

	(void)doc, (void)rows;
	if (rundb_function(db, "gcc_visible", 1, visible, ask) < 0 ||
	    rundb_function(db, "gcc_word", 1, word, ask) < 0)
		return report_fail_db(ask->input);
	return STATUS_OK;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	if (input->options->program)
		return exclude_program(input, doc);
	return input->db ? engine_build(&report_excluded, input, doc)
			 : report_fail(input, STATUS_USAGE,
				       "exclude-list needs a database, or --program with "
				       "a program");
}

const struct report report_exclude_list = {
	.name = "exclude-list",
	.summary = "flags for the next build, without tiny functions",
	.description =
		"With a database: functions whose hooks cost more than they tell: each "
		"call takes less "
		"than "
		"its hooks do, or how long is not known, and all of them --min-share of "
		"what "
		"the hooks took (0.5 %), the most expensive first, --limit of them. Not "
		"those that allocate, nor the one with most self time. For gcc the flags "
		"with their names, or files where "
		"a name would take another function of the run along. Their time is "
		"their "
		"callers' then, and their calls are not counted. With --program: how "
		"that "
		"program was built, from its file (compiler, flags, hooks, how many of "
		"them "
		"are of system headers), and the lines to build it with, of the "
		"compiler, "
		"CMake, Meson and Autotools.",
	.example = "prof-analyze exclude-list run.db --limit 10",
	.takes =
		TAKES_RUN | TAKES_LIMIT | TAKES_SHARE | TAKES_PROGRAM | TAKES_NO_DATABASE,
	.build = build,
};
