/* SPDX-License-Identifier: MIT */
/* Names for --focus and --ignore. Must not be called for files without functions. */
#include "analyzer/reports/names/focus.h"

#include "common/base/text.h"
#include "analyzer/names/name_pool.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/names/near_names.h"

#include "focus.sql.h"

/* What is done with each name. */
enum use { LEARN, FIND_NEAR, COLLECT };

static void use_name(struct report_input *input, struct near_names *near,
		     struct cursor *cursor, enum use use)
{
	const struct filter *filter = &input->filter;
	const char *text = filter->focus.text && !filter->focus.matches_some
				   ? filter->focus.text
				   : filter->ignore.text;
	const char *name = cursor_text(cursor, "name");
	ended_by(strbuf_free) struct strbuf clean = {0};

	if (!name)
		return;
	utf8_clean(&clean, name);
	if (use == COLLECT)
		name_pool_add(input->names, strbuf_text(&clean));
	else if (use == FIND_NEAR)
		near_names_consider(near, text, name);
	else
		filter_learn(&input->filter, name, cursor_text(cursor, "full_name"),
			     cursor_text(cursor, "linkage_name"));
}

/* Reads the names of a database, of one run or (0) of all. */
static void read_names(struct report_input *input, struct rundb *db, int64_t run_id,
		       struct near_names *near, enum use use)
{
	struct cursor *cursor;

	if (!db)
		return;
	cursor = rundb_query(db, focus_sql_names);
	cursor_bind_integer(cursor, ":run", run_id);
	while (cursor_next(cursor))
		use_name(input, near, cursor, use);
	cursor_close(cursor);
}

static void read_all(struct report_input *input, struct near_names *near, enum use use)
{
	read_names(input, input->db, input->run_id, near, use);
	read_names(input, input->diff_db, 0, near, use);
	for (size_t i = 0; i < input->database_count; i++)
		read_names(input, input->databases[i], 0, near, use);
}

void focus_resolve(struct report_input *input)
{
	char error[320];

	if (!filter_is_active(&input->filter))
		return;
	read_all(input, NULL, LEARN);
	if (filter_check(&input->filter, error, sizeof(error)) < 0)
		command_fail(STATUS_USAGE, "%s", error);
}

void focus_collect(struct report_input *input)
{
	if (input->options->machine)
		return;
	input->names = name_pool_new();
	read_all(input, NULL, COLLECT);
}

static void add_note(struct report_input *input, struct doc *doc, const char *option,
		     const char *text)
{
	struct near_names near = {0};
	struct strbuf sentence = {0};

	strbuf_printf(&sentence, "%s '%s' fits no function", option, text);
	read_all(input, &near, FIND_NEAR);
	near_names_put(&near, input->names, &sentence);
	doc_note(doc, "no_such_function", NOTE_PLAIN, strbuf_text(&sentence), NULL);
}

void focus_note(struct report_input *input, struct doc *doc)
{
	const struct filter *filter = &input->filter;

	if (filter->focus.text && !filter->focus.matches_some)
		add_note(input, doc, "--focus", filter->focus.text);
	else if (filter->ignore.text && !filter->ignore.matches_some)
		add_note(input, doc, "--ignore", filter->ignore.text);
}
