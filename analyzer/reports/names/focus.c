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
static int read_names(struct report_input *input, struct rundb *db, int64_t run_id,
		      struct near_names *near, enum use use)
{
	struct cursor *cursor;
	int result;

	if (!db)
		return 0;
	cursor = rundb_query(db, focus_sql_names);
	cursor_bind_integer(cursor, ":run", run_id);
	while (cursor_next(cursor) > 0)
		use_name(input, near, cursor, use);
	result = cursor_finish(cursor);
	if (result < 0) {
		strbuf_reset(&input->error);
		strbuf_puts(&input->error, rundb_error(db));
	}
	return result;
}

static int read_all(struct report_input *input, struct near_names *near, enum use use)
{
	int result = read_names(input, input->db, input->run_id, near, use);

	if (result == 0)
		result = read_names(input, input->diff_db, 0, near, use);
	for (size_t i = 0; i < input->database_count && result == 0; i++)
		result = read_names(input, input->databases[i], 0, near, use);
	return result;
}

enum exit_status focus_resolve(struct report_input *input)
{
	char error[320];

	if (!filter_is_active(&input->filter))
		return STATUS_OK;
	if (read_all(input, NULL, LEARN) < 0)
		return STATUS_FAILED;
	if (filter_check(&input->filter, error, sizeof(error)) == 0)
		return STATUS_OK;
	strbuf_reset(&input->error);
	strbuf_puts(&input->error, error);
	return STATUS_USAGE;
}

enum exit_status focus_collect(struct report_input *input)
{
	if (input->options->machine)
		return STATUS_OK;
	input->names = name_pool_new();
	return read_all(input, NULL, COLLECT) < 0 ? STATUS_FAILED : STATUS_OK;
}

static void add_note(struct report_input *input, struct doc *doc, const char *option,
		     const char *text)
{
	ended_by(near_names_free) struct near_names near = {0};
	ended_by(strbuf_free) struct strbuf sentence = {0};

	strbuf_printf(&sentence, "%s '%s' fits no function", option, text);
	(void)read_all(input, &near, FIND_NEAR);
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
