/* SPDX-License-Identifier: MIT */
/*
 * Json: one object for a document, its keys the names of the sections. Must not hold
 * more than a row in memory: tables may be large.
 *
 *     schema_version, tool, version, report
 *     run, trust, ...   values sections: objects
 *     functions, ...    table sections: arrays of objects, one row a line
 *     notes             {level, name, text, advice} of all notes
 *     omitted           for each table with rows left out {row_count, shown_count}
 */
#include <jansson.h>

#include "analyzer/render/findings.h"
#include "analyzer/render/json_value.h"
#include "analyzer/render/render.h"
#include "analyzer/rules/rule.h"
#include "common/base/text.h"

#define JSON_SCHEMA_VERSION 1
#define DUMP_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

static json_t *cell_value(const struct cell *cell, enum column_type type)
{
	switch (cell->kind) {
	case CELL_INTEGER:
		return json_must(type == COLUMN_FLAG ? json_boolean(cell->integer != 0)
						     : json_integer(cell->integer));
	case CELL_REAL:
		return json_figure(cell->real);
	case CELL_TEXT:
		return type == COLUMN_CHAIN ? json_chain(cell->text)
					    : json_text(cell->text);
	default:
		return json_must(json_null());
	}
}

static void set_cell(json_t *object, const char *name, enum column_type type,
		     const struct cell *cell)
{
	struct strbuf key = {0};

	utf8_repair(&key, name);
	json_object_set_new(object, strbuf_text(&key), cell_value(cell, type));
	strbuf_free(&key);
	if (type == COLUMN_LOCATION)
		json_object_set_new(object, "line",
				    cell->kind == CELL_TEXT && cell->line
					    ? json_must(json_integer(cell->line))
					    : json_must(json_null()));
}

/* Writes and releases. */
static void put(FILE *out, json_t *value)
{
	json_write(value, out, DUMP_FLAGS);
	json_decref(value);
}

static void put_key(FILE *out, const char *key)
{
	fputs(",\n  ", out);
	put(out, json_text(key));
	fputs(": ", out);
}

static void put_values(FILE *out, const struct section *section)
{
	json_t *object = json_must(json_object());

	for (size_t i = 0; i < section->value_count; i++) {
		const struct section_value *value = &section->values[i];

		if (!(value->flags & COLUMN_HUMAN))
			set_cell(object, value->name, value->type, &value->cell);
	}
	put_key(out, section->name);
	put(out, object);
}

static void put_table(FILE *out, const struct section *section)
{
	const struct table *table = section->table;

	put_key(out, section->name);
	fputc('[', out);
	for (size_t i = 0; i < table->row_count; i++) {
		json_t *object = json_must(json_object());

		for (size_t j = 0; j < table->column_count; j++)
			if (!(table->columns[j].flags & COLUMN_HUMAN))
				set_cell(object, table->columns[j].name,
					 table->columns[j].type, &table_row(table, i)[j]);
		fputs(i ? ",\n    " : "\n    ", out);
		put(out, object);
	}
	fputs(table->row_count ? "\n  ]" : "]", out);
}

static void put_findings(FILE *out, const struct section *section)
{
	put_key(out, section->name);
	fputc('[', out);
	for (size_t i = 0; i < section->shown_count; i++) {
		fputs(i ? ",\n    " : "\n    ", out);
		put(out, finding_as_json(section->findings, i));
	}
	fputs(section->shown_count ? "\n  ]" : "]", out);
}

static void put_notes(FILE *out, const struct doc *doc)
{
	static const char *const levels[] = {"plain", "good", "warning"};
	bool first = true;

	put_key(out, "notes");
	fputc('[', out);
	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];

		if (section->kind != SECTION_NOTE || (section->flags & SECTION_HUMAN))
			continue;
		fputs(first ? "\n    " : ",\n    ", out);
		put(out,
		    json_make("{s:s, s:o, s:o, s:o}", "level", levels[section->level],
			      "name", json_text(section->name), "text",
			      json_text(section->text), "advice",
			      json_text(section->advice)));
		first = false;
	}
	fputs(first ? "]" : "\n  ]", out);
}

/* SIZE_MAX: rows of this kind are never left out */
static size_t shown_count(const struct section *section)
{
	if (section->kind == SECTION_TABLE)
		return section->table->row_count;
	return section->kind == SECTION_FINDINGS ? section->shown_count : SIZE_MAX;
}

static void put_omitted(FILE *out, const struct doc *doc)
{
	json_t *all = json_must(json_object());

	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];
		size_t shown = shown_count(section);

		if (shown >= section->total_row_count || (section->flags & SECTION_HUMAN))
			continue;
		json_object_set_new(all, section->name,
				    json_make("{s:I, s:I}", "row_count",
					      (json_int_t)section->total_row_count,
					      "shown_count", (json_int_t)shown));
	}
	put_key(out, "omitted");
	put(out, all);
}

static void render(const struct doc *doc, const struct render_context *context)
{
	FILE *out = context->out;

	fprintf(out, "{\n  \"schema_version\": %d", JSON_SCHEMA_VERSION);
	put_key(out, "tool");
	put(out, json_text("prof-analyze"));
	put_key(out, "version");
	put(out, json_text(PROFSHIM_VERSION));
	put_key(out, "report");
	put(out, json_text(doc->report));
	for (size_t i = 0; i < doc->section_count; i++) {
		const struct section *section = &doc->sections[i];

		if (section->flags & SECTION_HUMAN)
			continue;
		if (section->kind == SECTION_VALUES)
			put_values(out, section);
		else if (section->kind == SECTION_TABLE)
			put_table(out, section);
		else if (section->kind == SECTION_FINDINGS)
			put_findings(out, section);
	}
	put_notes(out, doc);
	put_omitted(out, doc);
	fputs("\n}\n", out);
}

const struct renderer renderer_json = {
	.name = "json", .for_machines = true, .render = render};

/* A finding as a json object. Must not round or scale. */

static json_t *evidence_value(const struct finding *finding)
{
	json_t *array = json_must(json_array());

	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct evidence *one = &finding->evidence[i];

		json_array_append_new(
			array,
			json_make("{s:o, s:o, s:o, s:o, s:o}", "name",
				  json_text(one->name), "value", json_figure(one->value),
				  "unit", json_text(one->unit), "limit",
				  one->has_limit ? json_figure(one->limit) : json_null(),
				  "error", json_figure(one->error)));
	}
	return array;
}

/* null if there is none of this kind */
static json_t *amount(double value)
{
	return value > 0 ? json_figure(value) : json_null();
}

static json_t *number(int64_t value)
{
	return value ? json_must(json_integer(value)) : json_null();
}

static json_t *saving_value(const struct finding *finding)
{
	return json_make("{s:o, s:o, s:o, s:o, s:o}", "time_ns",
			 amount(finding->saving_ns), "bytes",
			 amount(finding->saving_bytes), "allocs",
			 amount(finding->saving_allocs), "share_of_time",
			 amount(finding->saving_share), "ceiling",
			 amount(finding_ceiling(finding)));
}

static json_t *advice_value(const struct finding *finding)
{
	json_t *array = json_must(json_array());

	for (size_t i = 0; finding->advice[i]; i++)
		json_array_append_new(array, json_text(finding->advice[i]));
	return array;
}

static json_t *also_value(const struct finding *finding)
{
	json_t *array = json_must(json_array());

	for (size_t i = 0; i < finding->also_count; i++) {
		const struct finding_also *one = &finding->also[i];

		json_array_append_new(array,
				      json_make("{s:s, s:s, s:s, s:o, s:o, s:I}", "id",
						one->rule->id, "rule", one->rule->slug,
						"severity", severity_word(one->severity),
						"score", json_figure(one->score),
						"function", json_text(one->function),
						"path_id", (json_int_t)one->path_id));
	}
	return array;
}

static void set_place(json_t *object, const struct finding *finding)
{
	json_object_set_new(object, "function", json_text(finding->function));
	if (finding->is_region)
		json_object_set_new(object, "region", json_true());
	if (finding->step)
		json_object_set_new(object, "step", json_text(finding->step));
	json_object_update_new(
		object,
		json_make("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "path",
			  json_chain(finding->chain ? finding->chain : ""), "called_at",
			  json_chain(finding->calls ? finding->calls : ""), "through",
			  json_chain(finding->through ? finding->through : ""), "file",
			  json_text(finding->file), "line", number(finding->line),
			  "function_id", number(finding->function_id), "path_id",
			  number(finding->path_id)));
}

json_t *finding_as_json(const struct findings *findings, size_t index)
{
	const struct finding *finding = &findings->list[index];
	json_t *object = json_make("{s:I, s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:o}",
				   "rank", (json_int_t)index + 1, "id", finding->rule->id,
				   "rule", finding->rule->slug, "title",
				   finding->rule->title, "says", json_text(finding->says),
				   "severity", severity_word(finding->severity), "score",
				   json_figure(finding->score), "confidence",
				   confidence_word(finding->confidence), "impact",
				   json_figure(finding->impact));

	set_place(object, finding);
	json_object_update_new(
		object,
		json_make("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "evidence",
			  evidence_value(finding), "why", json_text(finding->why),
			  "advice", advice_value(finding), "saving",
			  saving_value(finding), "verify", json_text(finding->verify),
			  "sql", json_text(finding->sql), "also", also_value(finding)));
	return object;
}
