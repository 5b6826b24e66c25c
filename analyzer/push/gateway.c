/* SPDX-License-Identifier: MIT */
/*
 * Pushes a run to a Prometheus Pushgateway: the lines of `export openmetrics` as the
 * group of a job (the program) and an instance (the host), in place of an earlier run's.
 * Must not need a run of its own format: what the export has is what Prometheus gets.
 */
#include "analyzer/push/http.h"
#include "analyzer/push/target.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/engine.h"

#include "gateway.sql.h"

#include <ctype.h>
#include <string.h>

/* What its parser of text reads is OpenMetrics, too, as far as gauges go. */
#define TYPE "text/plain; version=0.0.4"
#define GROUP "/metrics/job/"

/* A part of a path: no character that a path gives a meaning to, and no "..". */
static void put_part(struct strbuf *url, const char *text)
{
	size_t start = url->size;

	for (text = text && *text ? text : "unknown"; *text; text++)
		strbuf_putc(url, isalnum((unsigned char)*text) || strchr("-_.", *text)
					 ? *text
					 : '_');
	if (url->data[start] == '.')
		url->data[start] = '_';
}

static void put_group(struct push *push)
{
	struct cursor *cursor = report_query(push->input, gateway_sql_place);
	size_t size = strlen(push->url);

	while (size && push->url[size - 1] == '/')
		size--;
	strbuf_add(&push->where, push->url, size);
	if (cursor_next(cursor) && !strstr(push->url, GROUP)) {
		strbuf_puts(&push->where, GROUP);
		put_part(&push->where, cursor_text(cursor, "job"));
		strbuf_puts(&push->where, "/instance/");
		put_part(&push->where, cursor_text(cursor, "instance"));
	}
	cursor_close(cursor);
}

void gateway_push(struct push *push)
{
	struct strbuf lines = {0};
	struct doc doc;

	doc_init(&doc, report_openmetrics.name);
	put_group(push);
	engine_build(&report_openmetrics, push->input, &doc);
	for (size_t i = 0; i < doc.section_count; i++) {
		const struct table *table = doc.sections[i].table;

		for (size_t j = 0; table && j < table->row_count; j++)
			strbuf_printf(&lines, "%s\n", table_row(table, j)->text);
	}
	if (!http_send("PUT", strbuf_text(&push->where), TYPE, &lines))
		command_fail(STATUS_FAILED, "%s", http_error(NULL));
}
