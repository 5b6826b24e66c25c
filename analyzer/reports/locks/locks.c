/* SPDX-License-Identifier: MIT */
/* Locks by what was waited for them, and the matrix of waiters and holders. */
#include "common/base/xalloc.h"
#include "analyzer/model/shorten.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"

#include "locks.sql.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 20
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column lock_columns[] = {
	{"wait_ns", "waited", COLUMN_NSEC, COLUMN_KEEP},
	{"contended", "waits", COLUMN_COUNT, COLUMN_KEEP},
	{"acquisitions", "locked", COLUMN_COUNT, COLUMN_KEEP},
	{"contended_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"p50_wait_ns", "median", COLUMN_NSEC, 0},
	{"p95_wait_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"p99_wait_ns", "p99", COLUMN_NSEC, 0},
	{"max_wait_ns", "max", COLUMN_NSEC, COLUMN_KEEP},
	{"max_hold_ns", "held", COLUMN_NSEC, COLUMN_KEEP},
	{"hold_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"hold_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"name", "lock", COLUMN_NAME, COLUMN_KEEP},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"named_by", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"module", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"address", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"lock_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"process_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"first_path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column wait_columns[] = {
	{"wait_ns", "waited", COLUMN_NSEC, COLUMN_KEEP},
	{"wait_count", "waits", COLUMN_COUNT, COLUMN_KEEP},
	{"max_wait_ns", "max", COLUMN_NSEC, COLUMN_KEEP},
	{"name", "lock", COLUMN_NAME, COLUMN_KEEP},
	{"waiter", "who waited", COLUMN_NAME, COLUMN_KEEP},
	{"whose", NULL, COLUMN_TEXT, COLUMN_HUMAN | COLUMN_DETAIL},
	{"taken_by", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"holder", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"waiter_path", NULL, COLUMN_CHAIN, COLUMN_MACHINE},
	{"taken_path", NULL, COLUMN_CHAIN, COLUMN_MACHINE},
	{"holder_path", NULL, COLUMN_CHAIN, COLUMN_MACHINE},
	{"lock_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"waiter_path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"taken_path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"holder_path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column signal_columns[] = {
	{"wait_ns", "waited", COLUMN_NSEC, COLUMN_KEEP},
	{"wait_count", "waits", COLUMN_COUNT, COLUMN_KEEP},
	{"max_wait_ns", "max", COLUMN_NSEC, COLUMN_KEEP},
	{"name", "for", COLUMN_NAME, COLUMN_KEEP},
	{"waiter", "who waited", COLUMN_NAME, COLUMN_KEEP},
	{"whose", NULL, COLUMN_TEXT, COLUMN_HUMAN | COLUMN_DETAIL},
	{"signaller", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"waiter_path", NULL, COLUMN_CHAIN, COLUMN_MACHINE},
	{"signaller_path", NULL, COLUMN_CHAIN, COLUMN_MACHINE},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"lock_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"waiter_path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"signaller_path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static bool is_text(const struct cell *cell)
{
	return cell->kind == CELL_TEXT;
}

static bool passes(const struct report_input *input, const struct cell *name)
{
	return filter_passes_name(&input->filter, is_text(name) ? name->text : "?");
}

/* --focus and --ignore look at the names of locks. */
static void apply_filter(struct report_input *input, struct table *table)
{
	bool *keep;

	if (!filter_is_active(&input->filter))
		return;
	keep = xcalloc(table->row_count + 1, sizeof(*keep));
	for (size_t i = 0; i < table->row_count; i++)
		keep[i] = passes(input, table_cell(table, i, "name"));
	table_filter(table, keep);
	filter_found(&input->filter);
	free(keep);
}

static void set_path(struct table *table, size_t row, const struct calltree *tree,
		     const char *id, const char *path)
{
	const struct cell *path_id = table_cell(table, row, id);

	if (path_id->kind == CELL_INTEGER)
		*table_cell(table, row, path) =
			report_chain(table, tree, calltree_find(tree, path_id->integer));
}

/* The chain of each path, for machines; pairs: ids and where the chains go. */
static enum exit_status add_paths(struct report_input *input, struct table *table,
				  const char *const (*pairs)[2], size_t count)
{
	struct calltree *tree = report_tree_load(input);

	if (!tree)
		return STATUS_FAILED;
	for (size_t i = 0; i < table->row_count; i++)
		for (size_t j = 0; j < count; j++)
			set_path(table, i, tree, pairs[j][0], pairs[j][1]);
	calltree_free(tree);
	return STATUS_OK;
}

static void shorten(struct strbuf *to, const struct cell *name)
{
	if (is_text(name))
		shorten_name(to, name->text, 120, &shorten_ascii);
	else
		strbuf_puts(to, "a function outside of the recording");
}

/* For people: a sentence about the holder, as far as it is known. */
static void tell_holders(struct table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *taken = table_cell(table, i, "taken_by");
		const struct cell *holder = table_cell(table, i, "holder");
		struct strbuf text = {0};

		if (!is_text(taken) && !is_text(holder))
			continue;
		strbuf_puts(&text, "for ");
		shorten(&text, taken);
		if (!is_text(taken) || !is_text(holder) ||
		    strcmp(taken->text, holder->text) != 0) {
			strbuf_puts(&text, ", which was in ");
			shorten(&text, holder);
		}
		*table_cell(table, i, "whose") = table_text(table, strbuf_text(&text));
		strbuf_free(&text);
	}
}

static void tell_signallers(struct table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *signaller = table_cell(table, i, "signaller");
		const char *kind = table_cell(table, i, "kind")->text;
		struct strbuf text = {0};

		if (!is_text(signaller))
			continue;
		strbuf_puts(&text, !strcmp(kind, "barrier")  ? "the last was "
				   : !strcmp(kind, "thread") ? "which began with "
							     : "signalled by ");
		shorten(&text, signaller);
		*table_cell(table, i, "whose") = table_text(table, strbuf_text(&text));
		strbuf_free(&text);
	}
}

/* What one of the two tables of waits is. */
struct part {
	const char *name, *title, *sql;
	const struct column *columns;
	size_t column_count;
	const char *const (*paths)[2];
	size_t path_count;
	void (*tell)(struct table *table);
};

static enum exit_status add_part(struct report_input *input, struct doc *doc,
				 const struct part *part)
{
	struct table *table =
		report_table(input, part->sql, part->columns, part->column_count);

	if (!table)
		return STATUS_FAILED;
	apply_filter(input, table);
	if (!table->row_count) {
		table_free(table);
		return STATUS_OK;
	}
	if (!input->options->machine)
		part->tell(table);
	else if (add_paths(input, table, part->paths, part->path_count)) {
		table_free(table);
		return STATUS_FAILED;
	}
	table_sort(table, table_column(table, "wait_ns"), table_column(table, "waiter"));
	report_add_table(doc, part->name, part->title, table,
			 report_limit(input, DEFAULT_ROWS), "pair", "wait_ns",
			 "the waiting");
	return STATUS_OK;
}

static enum exit_status add_waits(struct report_input *input, struct doc *doc)
{
	static const char *const of_locks[][2] = {{"waiter_path_id", "waiter_path"},
						  {"taken_path_id", "taken_path"},
						  {"holder_path_id", "holder_path"}};
	static const char *const of_signals[][2] = {
		{"waiter_path_id", "waiter_path"},
		{"signaller_path_id", "signaller_path"}};
	const struct part parts[] = {
		{"lock_waits", "Who waited for whom", locks_sql_waits, wait_columns,
		 COUNT(wait_columns), of_locks, COUNT(of_locks), tell_holders},
		{"signals", "Who signalled whom", locks_sql_signals, signal_columns,
		 COUNT(signal_columns), of_signals, COUNT(of_signals), tell_signallers},
	};
	enum exit_status status = STATUS_OK;

	for (size_t i = 0; i < COUNT(parts) && !status; i++)
		status = add_part(input, doc, &parts[i]);
	return status;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	struct section *section;
	struct table *table;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	table = report_table(input, locks_sql_all, lock_columns, COUNT(lock_columns));
	if (!table)
		return STATUS_FAILED;
	apply_filter(input, table);
	status = report_sort(input, table, "wait_ns", "name");
	if (status) {
		table_free(table);
		return status;
	}
	if (!table->row_count)
		doc_note(doc, "no_locks", NOTE_PLAIN,
			 "No lock of the run was taken by a thread that was recorded.",
			 NULL);
	section = report_add_table(doc, "locks", "Locks", table,
				   report_limit(input, DEFAULT_ROWS), "lock", "wait_ns",
				   "the waiting");
	section->flags = SECTION_MAIN;
	return add_waits(input, doc);
}

const struct report report_locks = {
	.name = "locks",
	.summary = "locks: how often taken, how long waited for, whose",
	.description =
		"Mutexes, locks of readers and writers, and spin locks. locked are all "
		"calls that took the lock or waited for it, waits those that found it "
		"taken; held is the longest that one of these then had it until its "
		"unlock. The second table says who waited and who had the lock when the "
		"wait began, of several readers one of them: the function that "
		"took it, and what that thread was in just then. The third is about "
		"condition variables, semaphores, barriers and the ends of threads: who "
		"waited, and who signalled last before the wait was over, came last or "
		"was to end. A lock goes by its "
		"variable, by the block of the heap that it lies in, or by who used it "
		"first. --focus and --ignore choose by that name.",
	.example = "prof-analyze locks run.db --limit 5",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER,
	.build = build,
};
