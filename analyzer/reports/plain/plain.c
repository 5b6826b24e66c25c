/* SPDX-License-Identifier: MIT */
/*
 * Compares two builds of one program function by function, by name. Must not report a
 * difference that chance explains.
 *
 * If a function has n samples of weight w in one build and m of weight v in the other,
 * the square roots of n + 3/8 and m + 3/8 have variances of 1/4 (Anscombe, Biometrika 35
 * (1948) 246), so the difference of the roots of both times is about normal. Among the
 * p-values of all functions the false discovery rate is held at one in a hundred; of
 * these, functions count whose intervals do not meet.
 */
#include "analyzer/reports/plain/plain.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/statistics/statistics.h"
#include "common/base/xalloc.h"
#include "common/poisson.h"

#include "plain.sql.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WRONG_SHARE 0.01
#define NAMED 3 /* functions that the sentence names */

static const struct column columns[] = {
	{"self_cpu_percent", "self %", COLUMN_PERCENT, COLUMN_KEEP},
	{"self_cpu_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"cpu_ns", "plain", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"hooked_cpu_ns", "hooked", COLUMN_NSEC, COLUMN_KEEP},
	{"hooked_cpu_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"differs", "hooks", COLUMN_TEXT, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"average_cpu_ns", "avg", COLUMN_NSEC, 0},
	{"alloc_count", "allocs", COLUMN_COUNT, 0},
	{"alloc_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"plain_samples", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"hooked_samples", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"module", NULL, COLUMN_FILE, COLUMN_MACHINE},
	{"file", NULL, COLUMN_FILE, COLUMN_MACHINE},
	{"line", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

/* One build: what it computed in a run, and samples for each ns. */
struct side {
	const char *time, *samples, *error;
	double all_ns, exposure;
};

static void measure(struct side *side, const struct table *table)
{
	double count = table_sum(table, side->samples);

	side->all_ns = table_sum(table, side->time);
	side->exposure = side->all_ns > 0 ? count / side->all_ns : 0;
}

static double samples_of(const struct side *side, const struct table *table, size_t row)
{
	return cell_number(table_cell(table, row, side->samples));
}

/* The p-value of "no difference". */
static double probability(const struct table *table, size_t row, const struct side *a,
			  const struct side *b)
{
	double z = sqrt((samples_of(a, table, row) + 0.375) / a->exposure) -
		   sqrt((samples_of(b, table, row) + 0.375) / b->exposure);

	z *= 2 / sqrt(1 / a->exposure + 1 / b->exposure);
	return erfc(fabs(z) / sqrt(2));
}

static bool intervals_meet(const struct table *table, size_t row, const struct side *a,
			   const struct side *b)
{
	double n = samples_of(a, table, row), m = samples_of(b, table, row);

	return poisson_low(n) / a->exposure <= poisson_high(m) / b->exposure &&
	       poisson_low(m) / b->exposure <= poisson_high(n) / a->exposure;
}

static void put_error(struct table *table, size_t row, const struct side *side)
{
	double n = samples_of(side, table, row);

	if (side->exposure > 0)
		*table_cell(table, row, side->error) = cell_integer(whole_number(
			(poisson_high(n) - poisson_low(n)) / 2 / side->exposure));
}

static void judge(struct table *table, const struct side *plain,
		  const struct side *hooked)
{
	auto_free double *p = xcalloc(table->row_count, sizeof(*p));

	for (size_t i = 0; i < table->row_count; i++)
		p[i] = probability(table, i, plain, hooked);
	statistics_adjust(p, table->row_count);
	for (size_t i = 0; i < table->row_count; i++) {
		bool is_more = samples_of(hooked, table, i) / hooked->exposure >
			       samples_of(plain, table, i) / plain->exposure;

		if (p[i] <= WRONG_SHARE && !intervals_meet(table, i, plain, hooked))
			*table_cell(table, i, "differs") =
				table_text(table, is_more ? "more" : "less");
	}
}

static void compute(struct table *table, const struct side *plain,
		    const struct side *hooked)
{
	for (size_t i = 0; i < table->row_count; i++) {
		double ns = cell_number(table_cell(table, i, "cpu_ns"));
		double calls = cell_number(table_cell(table, i, "calls"));

		put_error(table, i, plain);
		put_error(table, i, hooked);
		*table_cell(table, i, "self_cpu_percent") =
			cell_real(units_share(ns, plain->all_ns));
		*table_cell(table, i, "self_cpu_error_percent") = cell_real(
			units_share(cell_number(table_cell(table, i, "cpu_error_ns")),
				    plain->all_ns));
		if (calls > 0 && ns > 0)
			*table_cell(table, i, "average_cpu_ns") =
				cell_integer(whole_number(ns / calls));
	}
	if (plain->exposure > 0 && hooked->exposure > 0)
		judge(table, plain, hooked);
}

/* Appends "; NAME 12.0ms more" for the largest differences. */
static void put_difference(struct strbuf *text, const struct table *table, size_t row)
{
	double ns = cell_number(table_cell(table, row, "hooked_cpu_ns")) -
		    cell_number(table_cell(table, row, "cpu_ns"));

	strbuf_printf(text, "%s ", table_cell(table, row, "name")->text);
	units_nsec(text, whole_number(fabs(ns)));
	strbuf_printf(text, " %s", table_cell(table, row, "differs")->text);
}

static double difference(const struct table *table, size_t row)
{
	return fabs(cell_number(table_cell(table, row, "hooked_cpu_ns")) -
		    cell_number(table_cell(table, row, "cpu_ns")));
}

static void put_differences(struct strbuf *text, const struct table *table)
{
	size_t count = 0, best[NAMED], best_count = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		size_t at;

		if (table_cell(table, i, "differs")->kind != CELL_TEXT)
			continue;
		count++;
		for (at = best_count < NAMED ? best_count++ : NAMED; at > 0; at--) {
			if (difference(table, best[at - 1]) >= difference(table, i))
				break;
			if (at < NAMED)
				best[at] = best[at - 1];
		}
		if (at < NAMED)
			best[at] = i;
	}
	if (!count) {
		strbuf_puts(text, "No function differs by more than chance allows with "
				  "so few samples.");
		return;
	}
	units_counted(text, (int64_t)count, "function");
	strbuf_printf(text, " %s by more than chance explains, because of the hooks: ",
		      count == 1 ? "differs" : "differ");
	for (size_t i = 0; i < best_count; i++) {
		strbuf_puts(text, i ? ", " : "");
		put_difference(text, table, best[i]);
	}
	strbuf_puts(text, count > best_count ? ", and others." : ".");
}

static void put_note(struct strbuf *text, const struct table *table,
		     const struct side *plain, const struct side *hooked, int64_t runs,
		     int64_t line_count)
{
	strbuf_puts(text, "Times are of the plain build (");
	units_counted(text, runs, "run");
	strbuf_puts(text, "), calls and allocations of this run. The plain build "
			  "computed ");
	units_nsec(text, whole_number(plain->all_ns));
	if (hooked->all_ns > 0) {
		strbuf_puts(text, ", this one ");
		units_nsec(text, whole_number(hooked->all_ns));
		strbuf_puts(text, " without the hooks, ");
		units_factor(text, hooked->all_ns / plain->all_ns);
		strbuf_puts(text, " as much. ");
		put_differences(text, table);
	} else {
		strbuf_puts(text, "; this one has no samples to compare with.");
	}
	if (!line_count)
		strbuf_puts(text, " It has no line tables (-g), so inlined functions are "
				  "counted in their callers.");
}

static enum exit_status add_table(struct report_input *input, struct doc *doc,
				  size_t limit, int64_t runs, int64_t line_count)
{
	struct side plain = {
		.time = "cpu_ns", .samples = "plain_samples", .error = "cpu_error_ns"};
	struct side hooked = {.time = "hooked_cpu_ns",
			      .samples = "hooked_samples",
			      .error = "hooked_cpu_error_ns"};
	struct table *table = report_table(input, plain_sql_all, columns, COUNT(columns));
	ended_by(strbuf_free) struct strbuf text = {0};

	if (!table)
		return STATUS_FAILED;
	measure(&plain, table);
	measure(&hooked, table);
	if (!(plain.all_ns > 0)) {
		table_free(table);
		doc_note(doc, "plain_note", NOTE_WARNING,
			 "The plain build has no samples: it ended too soon, or the "
			 "kernel refuses them.",
			 NULL);
		return STATUS_OK;
	}
	compute(table, &plain, &hooked);
	put_note(&text, table, &plain, &hooked, runs, line_count);
	report_add_table(doc, "plain_functions", "Times of the plain build", table, limit,
			 "function", "cpu_ns", "the CPU time")
		->flags = 0;
	doc_note(doc, "plain_note", NOTE_PLAIN, strbuf_text(&text), NULL);
	return STATUS_OK;
}

enum exit_status plain_add(struct report_input *input, struct doc *doc, size_t limit)
{
	struct cursor *cursor = report_query(input, plain_sql_sums);
	int64_t runs = 0, line_count = 0;

	if (cursor_next(cursor) > 0) {
		runs = cursor_integer(cursor, "plain_runs");
		line_count = cursor_integer(cursor, "line_count");
	}
	if (report_finish(input, cursor) < 0)
		return STATUS_FAILED;
	return runs ? add_table(input, doc, limit, runs, line_count) : STATUS_OK;
}
