/* SPDX-License-Identifier: MIT */
/*
 * Queries of reports: everything is bound that a report may want to know about the
 * user's options and the run as a whole, and SQL gets these functions:
 *
 *     passes(name)        something that is no function, such as a lock, passes --focus
 *                         and --ignore
 *     fits(name)          the function does
 *     is_chosen(path_id)  the call path does: a function on it
 *     signal_name(number), short_name(name), short_name(columns, name)
 *     people(name, value) as a column of this name is shown: "1.23ms"
 *     counted(noun, n)    "1 noun", "13 nouns"
 *     chance(count, ns)   half of the 95 % interval of a time by so many samples
 *     fitted(ns, error_ns, all_ns), fitted_error(...)  cut to what contains it
 *     asker(path_id, what)  of the innermost function on the path that is neither a
 *                         library's nor an allocator wrapper: 'name', 'function_id',
 *                         'file' and 'line' of its definition; where it calls a
 *                         wrapper 'call_file', 'call_line', and 'calls': 1 when that is
 *                         the innermost function with hooks, 2 when one further out is,
 *                         NULL when there is none
 *     suppression(path_id, file)  the number of a site's suppression, or NULL
 *     pattern(number)     that of a suppression, from 0; NULL behind the last
 *     meant(word)         the function_id of FUNC
 *     label_value(text)   one line, escaped for the quotes of a label of OpenMetrics
 *     limit_of(n)         how many rows are shown where people see n by default
 *
 * The call tree is the table `tree` (paths.h). With --thread the view `functions` has
 * what the thread did.
 */
#pragma once

#include "analyzer/reports/engine/paths.h"
#include "analyzer/reports/leaks/parts.h"
#include "analyzer/reports/names/callers_find.h"

struct ask {
	struct report_input *input;
	struct doc *doc;
	bool is_brief;	     /* for the report on one page */
	bool takes_function; /* the command's argument names a function */
	struct found_function function;
	int64_t process_id;	/* chosen with --process; 0: all */
	int64_t from_ns, to_ns; /* --from, --to, or the whole run */
	struct paths paths;
	bool *chosen;			 /* by node */
	struct wrappers *wrappers;	 /* found when a query first needs them */
	struct leak_filter suppressions; /* loaded when first needed */
	struct strbuf text;	 /* result of the last function that gave a text */
	enum exit_status status; /* not STATUS_OK once a function could not answer */
};

/* Ends the command when the argument or --process matches nothing. */
void ask_begin(struct ask *ask);
void ask_end(struct ask *ask);

/* Makes a table of this name with the rows of sql, for later queries. */
void ask_keep(struct ask *ask, const char *name, const char *sql);
/* Binds the parameters that all queries have; context: the ask. */
void ask_bind(void *context, struct cursor *cursor);
/* The rows of a query. */
struct table *ask_rows(struct ask *ask, const char *sql);
/* The names of a call path from its root, in the table's memory. is_site: people see it
 * up to the first library function below the owner, and how many follow. */
struct cell ask_chain(struct ask *ask, struct table *table, int64_t path_id,
		      bool is_site);
/* The patterns of --suppressions. */
const struct leak_filter *ask_suppressions(struct ask *ask);
/* The call tree. */
const struct calltree *ask_tree(struct ask *ask);
