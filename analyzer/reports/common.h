/* SPDX-License-Identifier: MIT */
/*
 * What several reports need: queries with the common parameters, facts about the run,
 * limits and sorting of tables.
 */
#pragma once

#include "analyzer/model/calltree.h"
#include "analyzer/reports/report.h"

/* Sets the error sentence and returns status. */
enum exit_status report_fail(struct report_input *input, enum exit_status status,
			     const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with what the database said. */
enum exit_status report_fail_db(struct report_input *input);

/* Prepares sql and binds :run and :thread. 0 or -errno (then the error is set). */
int report_query(struct report_input *input, const char *sql, struct cursor **ret_cursor);
/* A query that fills a new table. NULL on failure (then the error is set). */
struct table *report_table(struct report_input *input, const char *sql,
			   const struct column *columns, size_t count);

/* Reads a file that the user named; what: for the sentence when it is too large. */
enum exit_status report_read_file(struct report_input *input, const char *path,
				  const char *what, struct strbuf *ret);

/* The run in numbers. Texts are borrowed from the document that run_facts_load() got. */
struct run_facts {
	const char *label, *command, *started_utc, *host, *level;
	int64_t wall_ns, thread_ns, cpu_count;
	int64_t exit_code, exit_signal;
	bool has_exit_code, has_exit_signal, complete;
	bool is_live;	  /* still being recorded */
	bool is_attended; /* by a collector, when live */
	double hook_cost_ns;
	int64_t calls; /* by the hooks, as counted by the functions */
	int64_t function_count, path_count;
	int64_t self_ns, raw_self_ns; /* sums over functions */
	int64_t alloc_count, alloc_bytes, free_count;
	int64_t peak_bytes, live_bytes;
	/* Of the process whose peak it is; 0: not known. Live are those of all. */
	int64_t peak_pid, peak_live_bytes;
	int64_t allocating_process_count;
	int64_t temporary_count;
	int64_t process_count, thread_count, sample_count, snapshot_count;
};
int run_facts_load(struct report_input *input, struct doc *doc, struct run_facts *ret);
/* Nothing was recorded: neither calls nor allocations. */
bool run_facts_empty(const struct run_facts *facts);

/* A function between the user's code and malloc: an allocation belongs to the user's
 * function that led to it, not to operator new. file and module may be NULL. */
bool report_is_library(const char *name, const char *file, const char *module);
/* Loads the run's call paths, of all threads or of --thread. NULL on failure. With
 * --raw the times are the uncorrected ones. */
struct calltree *report_tree_load(struct report_input *input);
/* Checks --thread and adds notes about shared lanes. */
enum exit_status report_check_thread(struct report_input *input, struct doc *doc);

/* Opens a document about one run: what it is, whether it can be trusted. */
enum exit_status report_open(struct report_input *input, struct doc *doc,
			     struct run_facts *ret);
/* Adds the note that nothing was recorded, with where to look. */
void report_nothing_note(struct report_input *input, struct doc *doc);

/* Rows to show: --limit, or for people the report's own; 0: all. */
size_t report_limit(const struct report_input *input, size_t people);
/* Sorts by --sort or the given column, ties by name. Usage error when --sort is not
 * one of the table's columns; "self" stands for self_ns and so on. */
enum exit_status report_sort(struct report_input *input, struct table *table,
			     const char *column, const char *tie);
/* Adds the table, cut to limit rows, with a last line that says what was left out:
 * of what (noun) and how much of weight_column (NULL: not told) named weight is shown. */
struct section *report_add_table(struct doc *doc, const char *name, const char *title,
				 struct table *table, size_t limit, const char *noun,
				 const char *weight_column, const char *weight);

/* A node's names from its root, as a COLUMN_CHAIN cell of table. */
struct cell report_chain(struct table *table, const struct calltree *tree, uint32_t node);

/* Flat tables that more than one report shows. NULL on failure. Sites come without their
 * call paths, see sites_add_paths(). */
struct table *functions_table(struct report_input *input, const struct run_facts *facts);
struct table *sites_table(struct report_input *input, const struct run_facts *facts,
			  const struct calltree *tree, bool only_live);
/* With --thread: what a site's numbers mean then. */
void sites_thread_note(const struct report_input *input, struct doc *doc);
/* Fills the column path of the first rows. Done last: most tables are cut before. */
void sites_add_paths(struct table *table, const struct calltree *tree, size_t rows);
