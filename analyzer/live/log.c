/* SPDX-License-Identifier: MIT */
/* Lines of name=value words. Must not let a name add a word or a line. */
#include "analyzer/live/show.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "analyzer/render/cell.h"
#include "common/base/text.h"

/* Quoted, with JSON's escapes; chains are joined by " > ". */
static void put_text(struct strbuf *line, const char *text)
{
	ended_by(strbuf_free) struct strbuf clean = {0};

	for (; *text; text++) {
		if (*text == TABLE_CHAIN_END)
			strbuf_puts(&clean, " > ");
		else
			strbuf_putc(&clean, *text);
	}
	strbuf_putc(line, '"');
	text = strbuf_text(&clean);
	struct strbuf shown = {0};

	utf8_clean(&shown, text);
	for (text = strbuf_text(&shown); *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_putc(line, '\\');
		strbuf_putc(line, *text);
	}
	strbuf_putc(line, '"');
	strbuf_free(&shown);
}

static void put_moment(struct strbuf *line)
{
	struct timespec now;
	struct tm date;
	char text[40];

	clock_gettime(CLOCK_REALTIME, &now);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &date));
	strbuf_printf(line, "%s.%03ldZ ", text, now.tv_nsec / 1000000);
}

static void put_cell(struct strbuf *line, const struct column *column,
		     const struct cell *cell)
{
	if (cell->kind == CELL_NULL)
		return;
	strbuf_printf(line, " %s=", column->name);
	if (cell->kind == CELL_TEXT)
		put_text(line, cell->text);
	else
		cell_for_machines(line, cell);
	if (column->type == COLUMN_LOCATION && cell->line)
		strbuf_printf(line, " line=%u", cell->line);
}

static void log_rows(FILE *out, struct live *live, size_t most)
{
	ended_by(strbuf_free) struct strbuf line = {0};
	auto_free uint32_t *paths = NULL;
	struct table *table = screen_table(live, most, &paths);

	for (size_t i = 0; i < table->row_count; i++) {
		strbuf_reset(&line);
		put_moment(&line);
		strbuf_printf(&line, "%s rank=%zu", live->screen->name, i + 1);
		for (size_t column = 0; column < table->column_count; column++)
			put_cell(&line, &table->columns[column],
				 &table_row(table, i)[column]);
		fprintf(out, "%s\n", strbuf_text(&line));
	}
	table_free(table);
}

static void put_program(struct strbuf *line, const struct live *live)
{
	const struct live_facts *facts = &live->facts;

	if (live->source.pid || facts->first_pid)
		strbuf_printf(line, " pid=%d",
			      live->source.pid ? live->source.pid : facts->first_pid);
	strbuf_printf(line, " processes=%u living=%u", facts->process_count,
		      facts->living_count);
	if (facts->program) {
		strbuf_puts(line, " program=");
		put_text(line, facts->program);
	}
}

static void log_totals(FILE *out, const struct live *live)
{
	ended_by(strbuf_free) struct strbuf line = {0};
	struct live_totals totals = live_totals(live);

	put_moment(&line);
	strbuf_printf(&line, "look span_s=%.3f", totals.span_s);
	put_program(&line, live);
	strbuf_printf(&line,
		      " threads=%zu computing=%.3f ready=%.3f calls_per_s=%.0f "
		      "allocs_per_s=%.0f alloc_bytes_per_s=%.0f live_bytes=%lld",
		      totals.thread_count, totals.computing, totals.ready,
		      totals.calls_per_s, totals.allocs_per_s, totals.alloc_bytes_per_s,
		      (long long)live->facts.live_bytes);
	strbuf_printf(&line, " budget_percent=%g", live->facts.overhead_percent);
	fprintf(out, "%s\n", strbuf_text(&line));
}

void log_look(FILE *out, struct live *live, size_t most)
{
	const struct screen *screen = live->screen;

	log_totals(out, live);
	for (size_t i = 0; i < screen_registry_count; i++) {
		live->screen = &screen_registry[i];
		log_rows(out, live, most);
	}
	live->screen = screen;
	fflush(out);
}

void log_end(FILE *out, const struct live *live)
{
	ended_by(strbuf_free) struct strbuf line = {0};

	put_moment(&line);
	strbuf_puts(&line, "end");
	put_program(&line, live);
	fprintf(out, "%s\n", strbuf_text(&line));
	fflush(out);
}
