/* SPDX-License-Identifier: MIT */
/* Queries, limits, sorting and table footers that reports share. */
#include "analyzer/reports/common.h"

#include "common/base/options.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum exit_status report_nothing(struct report_input *input, const char *format, ...)
{
	va_list arguments;
	auto_free char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = xstrdup("out of memory");
	va_end(arguments);
	utf8_clean(&input->error, text);
	return STATUS_NOTHING;
}

void report_fail_db(struct report_input *input)
{
	command_fail(STATUS_FAILED, "%s", rundb_error(input->db));
}

struct cursor *report_query(struct report_input *input, const char *sql)
{
	struct cursor *cursor = rundb_query(input->db, sql);

	cursor_bind_integer(cursor, ":run", input->run_id);
	cursor_bind_text(cursor, ":thread", input->options->thread);
	return cursor;
}

const char *report_text(struct doc *doc, struct cursor *cursor, const char *column)
{
	const char *value = cursor_text(cursor, column);
	ended_by(strbuf_free) struct strbuf clean = {0};

	if (!value)
		return NULL;
	utf8_clean(&clean, value);
	return doc_copy(doc, strbuf_text(&clean));
}

void report_unknown(const char *word, const char *const *words, size_t count,
		    const struct strbuf *list, const char *format, ...)
{
	const char *nearest = nearest_word(word, words, count);
	struct strbuf all = {0};
	va_list arguments;
	char *text;

	for (size_t i = 0; !list && i < count; i++)
		strbuf_printf(&all, "%s%s", i ? ", " : "", words[i]);
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = xstrdup("out of memory");
	command_fail(STATUS_USAGE, "%s%s%s%s %s", text, nearest ? "; did you mean '" : "",
		     nearest ? nearest : "", nearest ? "'? All:" : "; there are",
		     strbuf_text(list ? list : &all));
}

size_t report_limit(const struct report_input *input, size_t people)
{
	if (input->options->limit >= 0)
		return (size_t)input->options->limit;
	if (input->options->page && people < REPORT_PAGE_ROWS)
		return REPORT_PAGE_ROWS;
	return input->options->machine ? 0 : people;
}

size_t report_path_rows(const struct report_input *input, size_t usual)
{
	return input->options->machine ? SIZE_MAX
	       : input->options->page  ? REPORT_PAGE_ROWS
				       : usual;
}

/* The column with this heading, even if people do not see it now; -1: none. */
static int headed_column(const struct table *table, const char *word)
{
	int hidden = -1;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!column->title || strcasecmp(column->title, word) != 0)
			continue;
		if (!(column->flags & COLUMN_MACHINE))
			return (int)i;
		hidden = (int)i;
	}
	return hidden;
}

/* The column that the user means: by its heading, a common word for it, its name, or its
 * name without unit. */
static int meant_column(const struct table *table, const char *word)
{
	static const char *const usual[][2] = {
		{"bytes", "alloc_bytes"},
		{"count", "alloc_count"},
		{"allocs", "owned_alloc_count"},
		{"allocs", "alloc_count"},
		{"peak", "at_peak_bytes"},
		{"avg", "average_ns"},
		{"function", "name"},
		{"step", "name"},
		{"counter", "name"},
	};
	static const char *const endings[] = {"", "_ns", "_bytes", "_count", "_percent"};
	char name[128];

	if (table_column(table, word) >= 0)
		return table_column(table, word);
	if (headed_column(table, word) >= 0)
		return headed_column(table, word);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (strcmp(word, usual[i][0]) == 0 &&
		    table_column(table, usual[i][1]) >= 0)
			return table_column(table, usual[i][1]);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		int column;

		snprintf(name, sizeof(name), "%s%s", word, endings[i]);
		for (char *at = name; *at; at++)
			if (*at == '-')
				*at = '_';
		column = table_column(table, name);
		if (column >= 0)
			return column;
	}
	return -1;
}

/* A column's name without its unit. Owned by caller. */
static char *stem(const char *name)
{
	const char *unit = strrchr(name, '_');
	bool has_unit =
		unit && (strcmp(unit, "_ns") == 0 || strcmp(unit, "_bytes") == 0 ||
			 strcmp(unit, "_count") == 0);

	return has_unit ? xstrndup(name, (size_t)(unit - name)) : xstrdup(name);
}

static _Noreturn void unknown_column(const struct table *table, const char *word)
{
	char **names = xcalloc(2 * table->column_count, sizeof(*names));
	struct strbuf list = {0};
	size_t count = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		const char *name = table->columns[i].name;

		if (table->columns[i].type == COLUMN_CHAIN ||
		    (table->columns[i].flags & COLUMN_HIDDEN))
			continue;
		strbuf_printf(&list, "%s%s", count ? ", " : "", name);
		names[count++] = xstrdup(name);
		names[count++] = stem(name);
	}
	report_unknown(word, (const char *const *)names, count, &list,
		       "--sort: there is no column '%s'", word);
}

void report_sort_asked(struct report_input *input, struct table *table)
{
	int number = meant_column(table, input->options->sort);

	if (number < 0 || table->columns[number].type == COLUMN_CHAIN ||
	    (table->columns[number].flags & COLUMN_HIDDEN))
		unknown_column(table, input->options->sort);
	table_sort(table, number, -1);
	/* a column that was asked for is not left out on narrow terminals */
	table->columns[number].flags |= COLUMN_KEEP | COLUMN_SORTED;
}

void report_fit(const struct report_input *input, double all_ns, double *ns,
		double *error_ns)
{
	if (!(all_ns > 0) || *ns + *error_ns <= all_ns)
		return;
	if (input->options->machine || *error_ns < *ns)
		*error_ns =
			fmin(*error_ns, fmax(all_ns - *ns, *error_ns < *ns ? 0 : *ns));
	else /* half of the bound, give or take that half */
		*ns = *error_ns = all_ns / 2;
}

const char *report_footer(struct doc *doc, const struct report_shown *shown)
{
	ended_by(strbuf_free) struct strbuf footer = {0};

	if (shown->rows >= shown->all_rows)
		return NULL;
	units_count(&footer, (int64_t)shown->rows);
	strbuf_puts(&footer, " of ");
	units_counted(&footer, (int64_t)shown->all_rows, shown->noun);
	strbuf_puts(&footer, " shown");
	if (shown->all > 0) {
		strbuf_puts(&footer, ", ");
		units_percent(&footer, units_share(shown->part, shown->all));
		strbuf_printf(&footer, " of %s", shown->weight);
	}
	strbuf_printf(&footer, "; %s",
		      shown->others ? shown->others : "--limit 0 shows all");
	return doc_copy(doc, strbuf_text(&footer));
}

struct section *report_add_table(struct doc *doc, const char *name, const char *title,
				 struct table *table, size_t limit, const char *noun,
				 const char *weight_column, const char *weight)
{
	int of_rows = table->row_count ? table_column(table, "of_rows") : -1;
	int others = table->row_count ? table_column(table, "others") : -1;
	size_t total = table->row_count;
	struct report_shown shown = {.all_rows = total, .noun = noun, .weight = weight};
	struct section *section;

	if (weight_column)
		shown.all = table_sum(table, weight_column);
	if (of_rows >= 0)
		shown.all_rows = (size_t)cell_whole(table_row(table, 0) + of_rows);
	if (others >= 0 && (!limit || limit >= total))
		shown.others = table_row(table, 0)[others].text;
	table_cut(table, limit);
	shown.rows = table->row_count;
	if (weight_column)
		shown.part = table_sum(table, weight_column);
	section = doc_table(doc, name, title, table);
	section->total_row_count = total;
	section->footer = report_footer(doc, &shown);
	return section;
}

struct cell report_chain(struct table *table, const struct calltree *tree, uint32_t node)
{
	ended_by(strbuf_free) struct strbuf chain = {0};

	calltree_put_chain(tree, node, TABLE_CHAIN_END_TEXT, &chain);
	return table_text(table, node == CALLTREE_NONE ? NULL : strbuf_text(&chain));
}

struct cell report_site_chain(struct table *table, const struct calltree *tree,
			      uint32_t node, bool for_people)
{
	uint32_t owner = node == CALLTREE_NONE ? node : calltree_owner(tree, node);
	uint32_t first = node;
	ended_by(strbuf_free) struct strbuf chain = {0};
	size_t count = 0;

	if (!for_people || owner == node)
		return report_chain(table, tree, node);
	for (; tree->nodes[first].parent != owner; first = tree->nodes[first].parent)
		count++;
	calltree_put_chain(tree, first, TABLE_CHAIN_END_TEXT, &chain);
	if (count)
		strbuf_printf(&chain, "%c(%zu more of libraries)", TABLE_CHAIN_END,
			      count);
	return table_text(table, strbuf_text(&chain));
}

void report_nothing_note(struct report_input *input, struct doc *doc)
{
	ended_by(strbuf_free) struct strbuf advice = {0};

	strbuf_puts(&advice, "'prof-analyze doctor ");
	utf8_clean(&advice, rundb_path(input->db));
	strbuf_puts(&advice, "' shows what is known about the reason.");
	doc_note(doc, "nothing_measured", NOTE_WARNING,
		 "Nothing was measured: no instrumented function was called and no "
		 "allocation was seen.",
		 strbuf_text(&advice));
}

#define LARGEST_FILE (16u << 20)

void report_read_file(const char *path, const char *what, struct strbuf *ret)
{
	FILE *file = fopen(path, "re");
	char part[4096];
	size_t size;
	int failure = errno;

	if (!file)
		command_fail(STATUS_FAILED, "%s: cannot be read: %s", path,
			     strerror(failure));
	errno = 0;
	while (ret->size <= LARGEST_FILE &&
	       (size = fread(part, 1, sizeof(part), file)) > 0)
		strbuf_add(ret, part, size);
	failure = ferror(file) ? errno : 0;
	fclose(file);
	if (failure)
		command_fail(STATUS_FAILED, "%s: cannot be read: %s", path,
			     strerror(failure));
	if (ret->size > LARGEST_FILE)
		command_fail(STATUS_USAGE, "%s: is too large for %s", path, what);
}
