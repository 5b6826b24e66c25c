/* SPDX-License-Identifier: MIT */
/*
 * Runs the parts of a report in the order of its file. Each part is one query: its rows
 * are read once into a table, and added to the document in the form that the part names.
 */
#include "analyzer/reports/engine/engine.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/document/columns.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/ask.h"
#include "analyzer/reports/engine/columns.h"
#include "analyzer/reports/engine/run.h"
#include "analyzer/reports/trust/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies a text into the document's memory, cleaned for display. */
static const char *clean(struct engine *engine, const char *text)
{
	ended_by(strbuf_free) struct strbuf buffer = {0};

	utf8_clean(&buffer, text ? text : "");
	return doc_copy(engine->doc, strbuf_text(&buffer));
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The place of a word among others, or the number given. */
static size_t number_of(const char *const *words, size_t count, const char *word,
			size_t otherwise)
{
	for (size_t i = 0; word && i < count; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	return otherwise;
}

/* The level of a row, if it has one, else that of the part. */
static enum note_level level_of(const struct report_part *part, const struct table *table,
				size_t row)
{
	static const char *const words[] = {
		[NOTE_PLAIN] = "plain", [NOTE_GOOD] = "good", [NOTE_WARNING] = "warning"};

	return (enum note_level)number_of(
		words, COUNT(words), engine_text_at(table, row, "level"), part->level);
}

static void add_note(struct engine *engine, const struct report_part *part,
		     struct table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const char *text = engine_sentence(
			engine, engine_text_at(table, i, "text"), table, i);
		const char *advice = engine_sentence(
			engine, engine_text_at(table, i, "advice"), table, i);

		const char *name = engine_text_at(table, i, "note");

		doc_note(engine->doc, name ? clean(engine, name) : part->name,
			 level_of(part, table, i), text, advice)
			->flags |= part->section_flags;
		engine->is_empty |= (part->flags & PART_EMPTY) != 0;
		engine->has_ended |= (part->flags & PART_STOP) != 0;
	}
}

static struct cell own_cell(struct doc *doc, struct cell cell)
{
	if (cell.kind == CELL_TEXT)
		cell.text = doc_copy(doc, cell.text);
	return cell;
}

/* A text value is a sentence for people; an empty one gives no line. */
static void add_value(struct engine *engine, struct section *section,
		      const struct table *table, size_t number)
{
	const struct column *column = &table->columns[number];
	const struct cell *cell = table_row(table, 0) + number;
	struct doc *doc = engine->doc;
	const char *title = doc_copy(doc, column->title);
	const char *name = doc_copy(doc, column->name);

	if (!(column->flags & COLUMN_HUMAN)) {
		doc_add(section, name, title, column->type, own_cell(doc, *cell));
		section->values[section->value_count - 1].flags = column->flags;
	} else if (cell->kind == CELL_TEXT) {
		doc_add_human(doc, section, title,
			      engine_sentence(engine, cell->text, table, 0));
	}
}

static void add_values(struct engine *engine, const struct report_part *part,
		       struct table *table)
{
	struct section *section;
	bool is_seen = false;

	if (table->row_count) {
		section = doc_values(engine->doc, part->name,
				     engine_sentence(engine, part->title, table, 0));
		for (size_t i = 0; i < table->column_count; i++)
			if (!columns_is_hidden(table, i))
				add_value(engine, section, table, i);
		for (size_t i = 0; i < section->value_count; i++)
			is_seen |= !(section->values[i].flags & COLUMN_MACHINE);
		section->flags = part->section_flags |
				 (is_seen ? 0 : SECTION_MACHINE | SECTION_PAGE);
	}
}

static void add_pairs(struct engine *engine, const struct report_part *part,
		      struct table *table)
{
	struct section *section = doc_values(engine->doc, part->name, NULL);

	section->flags = part->section_flags;
	for (size_t i = 0; i < table->row_count; i++)
		doc_add(section, clean(engine, engine_text_at(table, i, "name")), NULL,
			COLUMN_ANY,
			own_cell(engine->doc, *table_cell(table, i, "value")));
}

static void add_plot(struct engine *engine, const struct report_part *part,
		     const struct table *table, size_t first, size_t end)
{
	double *points = xreallocarray(NULL, part->points, sizeof(*points));
	const char *unit = engine_text_at(table, first, "unit");
	struct section *section;

	for (size_t i = 0; i < part->points; i++)
		points[i] = NAN;
	for (size_t i = first; i < end; i++) {
		int64_t point = cell_whole(table_cell(table, i, "point"));
		const struct cell *value = table_cell(table, i, "value");

		if (value->kind != CELL_NULL && point >= 0 &&
		    point < (int64_t)part->points)
			points[point] = cell_number(value);
	}
	section =
		doc_plot(engine->doc, part->name,
			 clean(engine, engine_text_at(table, first, "title")),
			 unit ? columns_type(unit) : COLUMN_FIGURE, points, part->points);
	section->peak = cell_number(table_cell(table, first, "peak"));
	section->span_ns = cell_whole(table_cell(table, first, "span_ns"));
	if (engine_text_at(table, first, "span"))
		section->span = clean(engine, engine_text_at(table, first, "span"));
}

static void add_plots(struct engine *engine, const struct report_part *part,
		      struct table *table)
{
	for (size_t first = 0, end; first < table->row_count; first = end) {
		end = engine_rows_alike(table, first, "plot");
		add_plot(engine, part, table, first, end);
	}
}

static void add_slice(struct engine *engine, struct lanes *lanes,
		      const struct table *table, size_t row)
{
	static const char *const states[] = {
		[LANE_COMPUTING] = "computing", [LANE_READY] = "ready",
		[LANE_BLOCKED] = "blocked",	[LANE_UNKNOWN] = "unknown",
		[LANE_MOMENT] = "moment",
	};
	int64_t begin_ns = cell_whole(table_cell(table, row, "started_ns")), end_ns;

	if (__builtin_add_overflow(
		    begin_ns, cell_whole(table_cell(table, row, "duration_ns")), &end_ns))
		end_ns = INT64_MAX;
	lanes_add(lanes_lane(lanes, clean(engine, engine_text_at(table, row, "label"))),
		  &(struct lane_slice){
			  .name = clean(engine, engine_text_at(table, row, "name")),
			  .begin_ns = begin_ns,
			  .end_ns = end_ns,
			  .state = (enum lane_state)number_of(
				  states, COUNT(states),
				  engine_text_at(table, row, "state"), LANE_UNKNOWN)});
}

static void add_lanes(struct engine *engine, const struct report_part *part,
		      struct table *table)
{
	size_t limit = report_limit(engine->ask.input, part->rows), left_out = 0;
	struct lanes *lanes = xcalloc(1, sizeof(*lanes));
	struct section *section;
	struct strbuf text = {0};

	lanes->from_ns = engine->ask.from_ns;
	lanes->to_ns = engine->ask.to_ns;
	for (size_t i = 0; i < table->row_count; i++)
		add_slice(engine, lanes, table, i);
	for (size_t i = 0; i < lanes->count; i++)
		lanes_settle(&lanes->all[i]);
	for (; limit && lanes->count > limit; left_out++)
		lanes->count--;
	if (!lanes->count)
		return;
	section = doc_lanes(engine->doc, part->name, part->title, lanes);
	if (left_out) {
		units_counted(&text, (int64_t)left_out, "lane");
		strbuf_puts(&text, " more (--limit, --thread).");
		section->footer = doc_copy(engine->doc, strbuf_text(&text));
	}
}

static void say_nothing(struct engine *engine, const struct table *rows)
{
	struct report_input *input = engine->ask.input;

	if (rows ? !rows->row_count : !run_facts_empty(&input->facts))
		return;
	report_nothing_note(input, engine->doc);
	engine->is_empty = engine->has_ended = true;
}

static void add_part(struct engine *engine, const struct report_part *part)
{
	struct table *table = part->sql && part->kind != PART_KEEP
				      ? ask_rows(&engine->ask, part->sql)
				      : NULL;

	switch (part->kind) {
	case PART_NOTHING:
		say_nothing(engine, table);
		break;
	case PART_KEEP:
		ask_keep(&engine->ask, part->name, part->sql);
		break;
	case PART_CODE:
		part->code(&engine->ask, engine->doc, table);
		break;
	case PART_END:
		engine->has_ended = table->row_count > 0;
		break;
	case PART_PAIRS:
		add_pairs(engine, part, table);
		break;
	case PART_VALUES:
		add_values(engine, part, table);
		break;
	case PART_TABLE:
		engine_add_tables(engine, part, table);
		return; /* the document has it */
	case PART_LANES:
		add_lanes(engine, part, table);
		break;
	case PART_PLOTS:
		add_plots(engine, part, table);
		break;
	case PART_NOTE:
		add_note(engine, part, table);
	}
	table_free(table);
}

static bool is_used(const struct report_part *by, const char *name)
{
	return (by->sql && strstr(by->sql, name)) ||
	       (by->fills && strstr(by->fills, name));
}

/* Whether anybody will see the part: if not, its rows are not read. */
static bool is_seen(const struct engine *engine, const struct report_part *part)
{
	const struct report_options *options = engine->ask.input->options;
	bool is_for_machines = (part->section_flags & SECTION_MACHINE) != 0;
	bool is_for_page = (part->section_flags & SECTION_PAGE) != 0;

	return !is_for_machines || options->machine || (is_for_page && options->page) ||
	       (part->flags & PART_SORT) || part->order;
}

/* Whether some query that runs reads this kept table. */
static bool is_wanted(const struct engine *engine, const struct report *report,
		      size_t number)
{
	const struct report_part *part = &report->parts[number];
	const char *by = engine->ask.input->options->by;

	/* without --by the first of its words counts */
	if (part->for_by &&
	    !(by ? table_is_listed(part->for_by, by)
		 : strncmp(part->for_by, report->by, strcspn(report->by, " ")) == 0))
		return false;

	if (part->kind == PART_KEEP) {
		for (size_t i = number + 1; i < report->part_count; i++)
			if (is_used(&report->parts[i], part->name) &&
			    is_wanted(engine, report, i))
				return true;
		return false;
	}
	if (part->kind == PART_END && !part->flags)
		return true;
	if (engine->is_brief)
		return (part->flags & (PART_BRIEF | PART_ONLY_BRIEF)) != 0;
	return !(part->flags & PART_ONLY_BRIEF);
}

static void drop_kept(struct engine *engine, const struct report_part *part)
{
	if (part->kind == PART_KEEP || part->order)
		rundb_drop(engine->ask.input->db,
			   xasprintf("%s%s", part->name, part->order ? "_shown" : ""));
}

static enum exit_status run(struct engine *engine, const struct report *report)
{
	ask_begin(&engine->ask);
	for (size_t i = 0;
	     !engine->ask.status && !engine->has_ended && i < report->part_count; i++)
		if (is_wanted(engine, report, i) && is_seen(engine, &report->parts[i]))
			add_part(engine, &report->parts[i]);
	for (size_t i = 0; i < report->part_count; i++)
		drop_kept(engine, &report->parts[i]);
	ask_end(&engine->ask);
	return engine->is_empty && !engine->ask.status ? STATUS_NOTHING
						       : engine->ask.status;
}

enum exit_status engine_run(const struct report *report, struct report_input *input,
			    struct doc *doc)
{
	bool takes_function = !(report->takes & TAKES_ARCHIVE) && report->argument &&
			      strcmp(report->argument, "FUNC") == 0;
	struct engine engine = {
		.ask = {.input = input, .doc = doc, .takes_function = takes_function},
		.doc = doc};

	return run(&engine, report);
}

void engine_add_brief(const struct report *report, struct report_input *input,
		      struct doc *doc, size_t limit)
{
	struct engine engine = {.ask = {.input = input, .doc = doc, .is_brief = true},
				.doc = doc,
				.is_brief = true,
				.limit = limit};

	run(&engine, report);
}
