/* SPDX-License-Identifier: MIT */
/* Documents made of sections. */
#include "analyzer/document/doc.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/findings/finding.h"
#include "analyzer/model/units.h"
#include "common/base/xalloc.h"

/* Lists of files, their marks and lines. */

struct source_file *source_view_file(struct source_view *view, const char *recorded)
{
	struct source_file *file;

	for (size_t i = 0; i < view->file_count; i++)
		if (strcmp(view->files[i].recorded, recorded) == 0)
			return &view->files[i];
	file = &ARRAY_ADD(view->files, view->file_count);
	file->recorded = arena_copy(&view->texts, recorded, strlen(recorded));
	return file;
}

struct source_mark *source_file_mark(struct source_file *file, uint32_t line)
{
	struct source_mark *mark = &ARRAY_ADD(file->marks, file->mark_count);

	mark->line = line;
	return mark;
}

void source_file_line(struct source_view *view, struct source_file *file, uint32_t number,
		      const char *text, size_t size)
{
	ARRAY_ADD(file->lines, file->line_count) =
		(struct source_line){number, arena_copy(&view->texts, text, size)};
}

void doc_init(struct doc *doc, const char *report)
{
	*doc = (struct doc){.report = report};
}

void doc_free(struct doc *doc)
{
	for (size_t i = 0; i < doc->section_count; i++) {
		free(doc->sections[i].values);
		free(doc->sections[i].points);
		table_free(doc->sections[i].table);
	}
	free(doc->sections);
	arena_free(&doc->texts);
	*doc = (struct doc){0};
}

const char *doc_copy(struct doc *doc, const char *text)
{
	return text ? arena_copy(&doc->texts, text, strlen(text)) : NULL;
}

static struct section *add(struct doc *doc, enum section_kind kind, const char *name,
			   const char *title)
{
	struct section *section = &ARRAY_ADD(doc->sections, doc->section_count);

	*section = (struct section){.kind = kind, .name = name, .title = title};
	return section;
}

struct section *doc_note(struct doc *doc, const char *name, enum note_level level,
			 const char *text, const char *advice)
{
	struct section *section = add(doc, SECTION_NOTE, name, NULL);

	section->level = level;
	section->text = doc_copy(doc, text);
	section->advice = doc_copy(doc, advice);
	return section;
}

struct section *doc_values(struct doc *doc, const char *name, const char *title)
{
	return add(doc, SECTION_VALUES, name, title);
}

struct section *doc_table(struct doc *doc, const char *name, const char *title,
			  struct table *table)
{
	struct section *section = add(doc, SECTION_TABLE, name, title);

	section->table = table;
	section->total_row_count = table->row_count;
	return section;
}

struct section *doc_plot(struct doc *doc, const char *name, const char *title,
			 enum column_type type, double *points, size_t count)
{
	struct section *section = add(doc, SECTION_PLOT, name, title);

	section->plot_type = type;
	section->points = points;
	section->point_count = count;
	section->flags = SECTION_HUMAN;
	return section;
}

void doc_put_span(struct strbuf *ret, const struct section *section)
{
	if (section->span)
		strbuf_puts(ret, section->span);
	else
		units_nsec(ret, section->span_ns);
}

struct section *doc_lanes(struct doc *doc, const char *name, const char *title,
			  struct lanes *lanes)
{
	struct section *section = add(doc, SECTION_LANES, name, title);

	section->lanes = lanes;
	section->flags = SECTION_HUMAN;
	return section;
}

struct section *doc_findings(struct doc *doc, const char *name, const char *title,
			     struct findings *findings, size_t shown_count)
{
	struct section *section = add(doc, SECTION_FINDINGS, name, title);

	section->findings = xmalloc(sizeof(*findings));
	*section->findings = *findings;
	*findings = (struct findings){0};
	section->shown_count = shown_count < section->findings->count
				       ? shown_count
				       : section->findings->count;
	section->total_row_count = section->findings->count;
	return section;
}

static void add_value(struct section *section, const char *name, const char *title,
		      enum column_type type, struct cell cell, unsigned flag)
{
	ARRAY_ADD(section->values, section->value_count) =
		(struct section_value){name, title, type, flag, cell};
}

void doc_add(struct section *section, const char *name, const char *title,
	     enum column_type type, struct cell cell)
{
	add_value(section, name, title, type, cell, 0);
}

void doc_add_machine(struct section *section, const char *name, enum column_type type,
		     struct cell cell)
{
	add_value(section, name, NULL, type, cell, COLUMN_MACHINE);
}

static struct cell text_cell(struct doc *doc, const char *text)
{
	if (!text)
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT, .text = doc_copy(doc, text)};
}

void doc_add_text(struct doc *doc, struct section *section, const char *name,
		  const char *title, const char *text)
{
	add_value(section, name, title, COLUMN_TEXT, text_cell(doc, text), 0);
}

void doc_add_human(struct doc *doc, struct section *section, const char *title,
		   const char *text)
{
	add_value(section, title, title, COLUMN_TEXT, text_cell(doc, text), COLUMN_HUMAN);
}
