/* SPDX-License-Identifier: MIT */
/* Names for --focus and --ignore. Must not be asked of files without functions. */
#include "analyzer/reports/names/focus.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/names/near_names.h"

#include "focus.sql.h"

/* The names of one database, of one run or (0) all of it, to the filter; or the nearest
 * of them to what nothing matches. */
static int read_names(struct report_input *input, struct rundb *db, int64_t run_id,
		      struct near_names *near)
{
	const struct filter *filter = &input->filter;
	const char *text = filter->focus.text && !filter->focus.matches_some
				   ? filter->focus.text
				   : filter->ignore.text;
	struct cursor *cursor;
	int result;

	if (!db)
		return 0;
	cursor = rundb_query(db, focus_sql_names);
	cursor_bind_integer(cursor, ":run", run_id);
	while (cursor_next(cursor) > 0) {
		const char *name = cursor_text(cursor, "name");

		if (name && near)
			near_names_consider(near, text, name);
		else if (name)
			filter_learn(&input->filter, name,
				     cursor_text(cursor, "full_name"),
				     cursor_text(cursor, "linkage_name"));
	}
	result = cursor_finish(cursor);
	if (result < 0) {
		strbuf_reset(&input->error);
		strbuf_puts(&input->error, rundb_error(db));
	}
	return result;
}

static int read_all(struct report_input *input, struct near_names *near)
{
	int result = read_names(input, input->db, input->run_id, near);

	if (result == 0)
		result = read_names(input, input->diff_db, 0, near);
	for (size_t i = 0; i < input->database_count && result == 0; i++)
		result = read_names(input, input->databases[i], 0, near);
	return result;
}

enum exit_status focus_resolve(struct report_input *input)
{
	char error[320];

	if (!filter_is_active(&input->filter))
		return STATUS_OK;
	if (read_all(input, NULL) < 0)
		return STATUS_FAILED;
	if (filter_check(&input->filter, error, sizeof(error)) == 0)
		return STATUS_OK;
	strbuf_reset(&input->error);
	strbuf_puts(&input->error, error);
	return STATUS_USAGE;
}

static void add_note(struct report_input *input, struct doc *doc, const char *option,
		     const char *text)
{
	struct near_names near = {0};
	struct strbuf sentence = {0};

	strbuf_printf(&sentence, "%s '%s' fits no function", option, text);
	(void)read_all(input, &near);
	near_names_put(&near, &sentence);
	doc_note(doc, "no_such_function", NOTE_PLAIN, strbuf_text(&sentence), NULL);
	strbuf_free(&sentence);
	near_names_free(&near);
}

void focus_note(struct report_input *input, struct doc *doc)
{
	const struct filter *filter = &input->filter;

	if (filter->focus.text && !filter->focus.matches_some)
		add_note(input, doc, "--focus", filter->focus.text);
	else if (filter->ignore.text && !filter->ignore.matches_some)
		add_note(input, doc, "--ignore", filter->ignore.text);
}
