/* SPDX-License-Identifier: MIT */
/* The command `top` without a terminal: a series of frames, or the log. */
#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/live/show.h"
#include "analyzer/render/cell.h"
#include "analyzer/reports/report.h"
#include "common/base/command.h"

/* Lines of name=value words. Must not let a name add a word or a line. */

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

/* Writes that the program has ended. */
static void log_end(FILE *out, const struct live *live)
{
	ended_by(strbuf_free) struct strbuf line = {0};

	put_moment(&line);
	strbuf_puts(&line, "end");
	put_program(&line, live);
	fprintf(out, "%s\n", strbuf_text(&line));
	fflush(out);
}

#define SCREEN_EVERY_MS 500
#define SCREEN_WINDOW_NS 900000000u /* a second: looks are never quite on time */
#define FRAME_EVERY_MS 1000
#define LOG_EVERY_MS 10000
#define FRAME_ROWS 20
#define FRAME_WIDTH 100
#define END_LOOK_MS 200

static void pause_ms(unsigned ms)
{
	struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	while (nanosleep(&pause, &pause) < 0 && errno == EINTR)
		;
}

/* Waits for the next look, or for the program's end. */
static void wait_for_next(const struct top *top)
{
	unsigned left_ms = top_pause_ms(top);

	while (left_ms && live_goes_on(&top->live)) {
		unsigned part_ms = left_ms < END_LOOK_MS ? left_ms : END_LOOK_MS;

		pause_ms(part_ms);
		left_ms -= part_ms;
	}
}

static void show_frame(const struct top *top, bool is_first)
{
	const char *columns = getenv("COLUMNS");
	long width = columns ? strtol(columns, NULL, 10) : 0;
	struct frame_style style = {
		.width = width >= 20 && width <= 1000 ? (size_t)width : FRAME_WIDTH,
		.rows_most = FRAME_ROWS,
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};
	ended_by(frame_done) struct frame frame;

	frame_make(&frame, &top->live, &style);
	if (!is_first)
		putchar('\n');
	for (size_t i = 0; i < frame.line_count; i++)
		if (*frame.lines[i])
			puts(frame.lines[i]);
	fflush(stdout);
}

/* most: lines of each kind in the log; 0: frames. The first look only gives the values to
 * compare with. */
static int run_plain(struct top *top, size_t most)
{
	uint64_t began_ns;
	int result = top_look(top);

	for (long i = 0;
	     result == 0 && !top->live.facts.is_over && (!top->count || i < top->count);
	     i++) {
		wait_for_next(top);
		result = top_look(top);
		if (result < 0)
			break;
		began_ns = top_cpu_ns();
		if (most)
			log_look(stdout, &top->live, most);
		else
			show_frame(top, i == 0);
		top_add_cost(top, began_ns);
		if (ferror(stdout))
			return -EPIPE;
	}
	if (most && top->live.facts.is_over)
		log_end(stdout, &top->live);
	return result;
}

/* On a pipe the view ends with its run, so that readers know when to stop. */
static void tell_of_next(const struct top *top)
{
	struct strbuf word = {0};
	struct source next;

	if (!top->live.facts.is_over || !source_next(top->word, &top->live.source, &next))
		return;
	source_close(&next);
	utf8_clean(&word, top->word);
	fprintf(stderr,
		"the run has ended; another one is being recorded into %s: 'prof-analyze "
		"top %s' shows it\n",
		strbuf_text(&word), strbuf_text(&word));
	strbuf_free(&word);
}

static const struct screen *choose_screen(const char *name)
{
	const struct screen *screen = screen_find(name ? name : "function");
	ended_by(strbuf_free) struct strbuf names = {0};

	for (size_t i = 0; !screen && i < screen_registry_count; i++)
		strbuf_printf(&names, "%s %s", i ? "," : "", screen_registry[i].name);
	if (!screen)
		command_fail(STATUS_USAGE, "--view: there is no view '%s'; there are%s",
			     name, strbuf_text(&names));
	return screen;
}

static bool has_terminal(const struct report_options *options)
{
	return !options->top && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void default_pause(struct top *top, unsigned ms)
{
	if (!top->every_ms)
		top->every_ms = ms;
}

static int run(struct top *top, const struct report_options *options)
{
	unsigned every_ms = top->every_ms;

	if (has_terminal(options)) {
		if (!every_ms)
			top->live.window_ns = SCREEN_WINDOW_NS;
		default_pause(top, SCREEN_EVERY_MS);
		if (terminal_run(top))
			return 0;
		top->every_ms = every_ms;
	}
	default_pause(top, options->top ? LOG_EVERY_MS : FRAME_EVERY_MS);
	return run_plain(top, (size_t)options->top);
}

static enum exit_status serve(struct report_input *input)
{
	const struct report_options *options = input->options;
	const struct screen *screen = choose_screen(options->view);
	struct top top = {.word = options->argument,
			  .count = options->count,
			  .every_ms = options->every_ms};
	struct source source;
	int result;

	source_open(top.word, &source);
	live_init(&top.live, &source, screen);
	result = run(&top, options);
	tell_of_next(&top);
	live_done(&top.live);
	if (result == -EPIPE)
		command_fail(STATUS_FAILED, "output: cannot be written");
	if (result != 0)
		command_fail(STATUS_FAILED, "the recording of %s cannot be read any more",
			     top.word);
	return STATUS_OK;
}

const struct report report_top = {
	.name = "top",
	.argument = "PID|DB",
	.summary = "watch a program while it runs",
	.description = "Shows what a recorded process is doing now, or all processes of "
		       "the run being recorded into DB: functions, call paths, "
		       "threads, allocation sites, reading and writing, steps. It reads "
		       "the recording without stopping the program, and takes at "
		       "most 5 % of a CPU. On a terminal it updates at most twice a "
		       "second, and '?' lists the keys. Elsewhere it prints a frame each "
		       "second; --top N prints a log in a stable format (docs/live.md). "
		       "It ends with the program, or after --count updates.",
	.example = "prof-analyze top $(pidof app)",
	.takes = TAKES_NO_DATABASE | TAKES_ONLY_WORDS | TAKES_LIVE,
	.serve = serve,
};
