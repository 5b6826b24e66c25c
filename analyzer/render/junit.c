/* SPDX-License-Identifier: MIT */
/*
 * JUnit XML for CI servers: a test case for each check of a gate. A failed check is a
 * failure; one that could not be made is an error, and must not look like one that
 * passed.
 */
#include "analyzer/render/render.h"

#include "common/base/text.h"

#include <string.h>

static void put_escaped(FILE *out, const char *text)
{
	struct strbuf escaped = {0};

	xml_escape(&escaped, text);
	fputs(strbuf_text(&escaped), out);
	strbuf_free(&escaped);
}

enum kind { PASSED, FAILED, NOT_MADE };

static enum kind kind_of(const struct table *table, size_t row)
{
	const char *result = table_cell(table, row, "result")->text;

	if (cell_number(table_cell(table, row, "failed")) != 0)
		return FAILED;
	return strncmp(result, "not ", 4) == 0 ? NOT_MADE : PASSED;
}

static void put_case(FILE *out, const struct doc *doc, const struct table *table,
		     size_t row)
{
	static const char *const elements[] = {"system-out", "failure", "error"};
	enum kind kind = kind_of(table, row);

	fprintf(out, "    <testcase classname=\"prof-analyze.%s\" name=\"", doc->report);
	put_escaped(out, table_cell(table, row, "check")->text);
	fputs("\">\n      <", out);
	fputs(elements[kind], out);
	if (kind != PASSED) {
		fputs(" message=\"", out);
		put_escaped(out, table_cell(table, row, "result")->text);
		fputc('"', out);
	}
	fputc('>', out);
	if (kind == PASSED) {
		put_escaped(out, table_cell(table, row, "result")->text);
		fputs(": ", out);
	}
	put_escaped(out, table_cell(table, row, "message")->text);
	fprintf(out, "</%s>\n    </testcase>\n", elements[kind]);
}

static void put_suite(FILE *out, const struct doc *doc, const struct table *table)
{
	size_t counts[3] = {0};

	for (size_t i = 0; i < table->row_count; i++)
		counts[kind_of(table, i)]++;
	fprintf(out,
		"  <testsuite name=\"prof-analyze %s\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"%zu\">\n",
		doc->report, table->row_count, counts[FAILED], counts[NOT_MADE]);
	for (size_t i = 0; i < table->row_count; i++)
		put_case(out, doc, table, i);
	fputs("  </testsuite>\n", out);
}

static void render(const struct doc *doc, const struct render_context *context)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", context->out);
	for (size_t i = 0; i < doc->section_count; i++)
		if (doc->sections[i].kind == SECTION_TABLE &&
		    (doc->sections[i].flags & SECTION_CHECKS))
			put_suite(context->out, doc, doc->sections[i].table);
	fputs("</testsuites>\n", context->out);
}

const struct renderer renderer_junit = {
	.name = "junit", .for_machines = false, .needs_checks = true, .render = render};
