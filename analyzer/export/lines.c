/* SPDX-License-Identifier: MIT */
/* Exports that are .sql files: the rows of their table are the lines. */
#include "analyzer/export/export.h"

#include "common/base/utf8.h"

static void write_lines(const struct doc *doc, const struct export_context *context)
{
	const struct section *section;
	struct strbuf line = {0};

	for (size_t i = 0; i < doc->section_count; i++) {
		section = &doc->sections[i];
		for (size_t j = 0; section->table && j < section->table->row_count; j++) {
			strbuf_reset(&line);
			utf8_repair(&line, table_row(section->table, j)->text);
			fprintf(context->out, "%s\n", strbuf_text(&line));
		}
	}
	strbuf_free(&line);
}

const struct exporter exporter_lines = {.write = write_lines};
