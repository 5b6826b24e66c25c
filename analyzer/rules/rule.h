/* SPDX-License-Identifier: MIT */
/*
 * A rule: its query over a run, and what it says about each row found. Rules are written
 * as files, see README.md; scripts/rules.py turns them into these structs, and query.c
 * runs them.
 */
#pragma once

#include "common/base/text.h"
#include "analyzer/tree/calltree.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/rule_limits.h"

struct cursor;
struct memory_owners; /* analyzer/rules/owners.h */
struct wrappers;      /* analyzer/tree/wrappers.h */
struct rundb;

enum rule_result {
	RULE_DONE = 0,
	RULE_NOT_MEASURED = 1, /* the recording lacks the data; reason says which */
	RULE_HAS_FACTS = 2,    /* it found something, but no findings */
};

/* A number about the run, by the name of its query parameter. */
struct rule_number {
	const char *name; /* ":run_ns" */
	double value;
};

struct rule_input {
	struct rundb *db;
	int64_t run_id;
	const struct calltree *tree; /* all call paths, linked */
	struct arena *arena;	     /* lives as long as the findings */
	/* Binds what reports know of the run; the rules' own numbers are bound
	 * afterwards. */
	void (*bind)(void *context, struct cursor *cursor);
	void *context;

	struct rule_number *run; /* of run.sql */
	size_t run_count;
	double run_ns; /* one of these numbers */
	/* For each measurement why it is not valid; reason NULL: it is. */
	struct rule_measured {
		const char *name, *reason;
	} * measured;
	size_t measured_count;
	/* Why a rule about time that found nothing did not pass: unknown times that could
	 * be much of the run. NULL: there are none. */
	const char *unjudged;

	const char *reason;	   /* set by the rule with RULE_NOT_MEASURED */
	struct wrappers *wrappers; /* by owners.c */

	/* Set by the engine: */
	const struct rule *rule;
	const struct rule_limits *limits;
	struct findings *findings;    /* all so far */
	bool *kept;		      /* for each of rule_tables: whether it was made */
	struct memory_owners *owners; /* of a rule with sites */
	struct strbuf *error;	      /* one sentence when a query fails */
};

enum rule_how {
	RULE_AT_LEAST, /* otherwise the row is no finding */
	RULE_AT_MOST,
	RULE_CROSSED, /* the limit is told if the value has reached it */
	RULE_BESIDE,  /* the limit is told in any case */
};

/* A column of a rule's query: told as evidence unless it is NULL, and checked against a
 * limit. */
struct rule_value {
	const char *words, *unit; /* NULL: not told; "percent": the column has a ratio */
	const char *column;
	const char *limit; /* a limit of the rule, or a column that has it; NULL: none */
	enum rule_how how;
};

/* A table that queries of rules read. */
struct rule_table {
	const char *name; /* NULL: the last one */
	const char *sql;
	bool is_view;
	int (*compute)(struct rule_input *input); /* computes what no query can */
};

struct rule {
	const char *id, *slug, *title; /* "T3", "chatty-edge", "Many calls of ..." */
	const char *summary;	       /* what it looks for, one sentence */
	/* On one path the most specific rule stays: 0 says only that it is slow, 1 where,
	 * 2 why. */
	unsigned specific;
	const struct rule_limit *limits; /* ends with a line without a name */
	/* The rules whose findings, about the same function or the whole run, are only
	 * symptoms of what this rule names; ends with NULL. May be NULL. */
	const struct rule *const *explains;
	/* How to see whether a fix helped, if comparing two recordings does not show it;
	 * else NULL. */
	const char *verify;
	/* Measurements, between spaces: if one is missing, the rule is not asked and
	 * counts as not measured. And the same in words. */
	const char *needs, *needs_words;
	const char *const *uses; /* names of rule_tables; NULL after the last */
	const char *borrows;	 /* a rule whose limits its query uses, too */
	const char *unmeasured;	 /* a query: why nothing can be said */
	const char *sites;	 /* allocation sites, for the table owner */
	bool through_wrappers; /* asked again with wrappers as owners if it found nothing
				*/
	const char *sql;
	const struct rule_value *values; /* ends with one without a column */
	/* For all findings; NULL: the row has it in a column of that name. says: the
	 * first line, after the subject's name. */
	const char *says, *why, *advice[FINDING_ADVICE + 1], *proof;
	/* Bounds of the findings' severity; INFO: not set. */
	enum severity least, most;
	const char *facts; /* instead of a query: gives rows for the table quality */
};

extern const struct rule *const rule_registry[];
extern const size_t rule_registry_count;
extern const struct rule_table rule_tables[];

/* Finds a rule by id or slug, ignoring case; or NULL. */
const struct rule *rule_find(const char *word);

/* Examines the run before any rule is asked, and prepares what queries need. Must be
 * followed by rules_end() in any case. 0 or -errno, then input->error is set. */
int rules_begin(struct rule_input *input);
void rules_end(struct rule_input *input);
/* Why the first invalid measurement that the rule needs is not valid; NULL: all are
 * valid. */
const char *rule_missing(const struct rule_input *input, const struct rule *rule);
/* Whether the rule depends on how long the program's own code took. */
bool rule_needs_time(const struct rule *rule);
/* Asks input->rule and adds its findings. Returns enum rule_result or -errno. */
int rule_ask(struct rule_input *input, struct findings *ret);

/* Computed tables of rule_tables. 0 or -errno, then input->error is set. */
int rule_keep_held(struct rule_input *input);
int rule_keep_made(struct rule_input *input);
int rule_keep_lent(struct rule_input *input);
/* bare_name(name) in queries: the name without parameters and template arguments, or
 * "malloc and free" for a function of the C library's heap. The context is the input. */
struct cell rule_bare_name(void *context, const struct cell *values);

/* For the rules' own C code. */

/* The value of one of the rule's limits, which the user may have changed. */
double rule_limit(struct rule_input *input, const char *name);
/* The same for another rule. */
double rule_limit_of(struct rule_input *input, const char *rule, const char *name);
/* Starts a query; one that fails has no rows. Bound are the run's numbers (run.sql) and
 * the limits of the current rule by name, and of the rule that it borrows from
 * ("T8_valley"). */
struct cursor *rule_query(struct rule_input *input, const char *sql);
/* Makes a table with the rows of sql for later queries; of_rule: the current rule's
 * limits are bound, too. 0 or -errno, then input->error is set. */
int rule_keep(struct rule_input *input, const char *name, const char *sql, bool of_rule);
/* Closes the cursor. Returns RULE_DONE, or -errno from result (an error with the rows) or
 * from the query; then input->error is set. */
int rule_finish(struct rule_input *input, struct cursor *cursor, int result);
/* Sets the reason. Returns RULE_NOT_MEASURED. */
int rule_not_measured(struct rule_input *input, const char *reason);
/* Formats a text that lives as long as the findings. */
const char *rule_text(struct rule_input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *rule_copy(struct rule_input *input, const char *text);

/* Fills the text from the current row: "{name}" is a column (with unit and error if it is
 * evidence), "{>name}" the end of a call path, "{run}" the run, "{=name}" a limit; "{name
 * noun}" gives "1 noun" or "13 nouns", "{name|one|many}" a word. */
const char *rule_fill(struct rule_input *input, struct cursor *cursor, const char *text);

/* Adds a finding about the whole run. */
struct finding *rule_add(struct rule_input *input, struct findings *ret);
/* Adds a finding about a call path (if it ends in a library, that of its caller). Sets
 * path_id, path, function_id, function, and where (the function's definition). */
struct finding *rule_add_path(struct rule_input *input, struct findings *ret,
			      int64_t path_id);
/* The same about a function; the path is that with most self time. */
struct finding *rule_add_function(struct rule_input *input, struct findings *ret,
				  int64_t function_id);
/* Sets the line that the finding points to. */
void rule_set_line(struct rule_input *input, struct finding *finding, const char *file,
		   int64_t line);
/* part / whole from 0 to 1; 0 if whole is not positive. */
double rule_share(double part, double whole);
