/* SPDX-License-Identifier: MIT */
/*
 * A rule: what it asks of a run, and what it says of each row that it finds. Rules are
 * files, see README.md; scripts/rules.py makes them into this. query.c asks them.
 */
#pragma once

#include "common/base/strbuf.h"
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

/* What the run has, by the parameter that queries find it as. */
struct rule_number {
	const char *name; /* ":run_ns" */
	double value;
};

struct rule_input {
	struct rundb *db;
	int64_t run_id;
	const struct calltree *tree; /* all call paths, linked */
	struct arena *arena;	     /* lives as long as the findings */
	/* Binds what reports know of the run, before what rules know. */
	void (*bind)(void *context, struct cursor *cursor);
	void *context;

	struct rule_number *run; /* of run.sql */
	size_t run_count;
	double run_ns; /* one of them */
	/* Why a measurement is not valid, by its name; reason NULL: it is. */
	struct rule_measured {
		const char *name, *reason;
	} * measured;
	size_t measured_count;
	/* Why a rule about time that found nothing has not passed: times that are not
	 * known and could be much of the run. NULL: there are none. */
	const char *unjudged;

	const char *reason;	   /* set by the rule with RULE_NOT_MEASURED */
	struct wrappers *wrappers; /* by owners.c */

	/* The engine's. */
	const struct rule *rule;
	const struct rule_limits *limits;
	struct findings *findings;    /* all so far */
	bool *kept;		      /* for each of rule_tables: it is there */
	struct memory_owners *owners; /* of a rule that has sites */
	struct strbuf *error;	      /* one sentence when a query fails */
};

enum rule_how {
	RULE_AT_LEAST, /* else the row says nothing */
	RULE_AT_MOST,
	RULE_CROSSED, /* the limit is told where the value has reached it */
	RULE_BESIDE,  /* it is told in any case */
};

/* What a row of a rule's query has: told as evidence, unless it is NULL, and held against
 * a limit. */
struct rule_value {
	const char *words, *unit; /* NULL: not told; "percent": the column has a ratio */
	const char *column;
	const char *limit; /* of the rule's, or a column that has it; NULL: none */
	enum rule_how how;
};

/* What queries of rules take from. */
struct rule_table {
	const char *name; /* NULL: the last one */
	const char *sql;
	bool is_view;
	int (*compute)(struct rule_input *input); /* of what no query finds */
};

struct rule {
	const char *id, *slug, *title; /* "T3", "chatty-edge", "Many calls of ..." */
	const char *summary;	       /* what it looks for, one sentence */
	/* On one path the more specific rule stays: 0 says only that it is slow, 1 where,
	 * 2 why. */
	unsigned specific;
	const struct rule_limit *limits; /* ends with a line without a name */
	/* The rules whose findings about the same function, or about the whole run, only
	 * say where what this rule names shows; NULL after the last, or NULL. */
	const struct rule *const *explains;
	/* How to see whether a fix helped, where comparing two recordings does not tell;
	 * NULL: it does. */
	const char *verify;
	/* Measurements, between spaces: without all of them it is not asked, and not
	 * measured. And as people read them. */
	const char *needs, *needs_words;
	const char *const *uses; /* names of rule_tables; NULL after the last */
	const char *borrows;	 /* a rule whose limits its query has, too */
	const char *unmeasured;	 /* a query: why nothing can be said */
	const char *sites;	 /* allocation sites, for the table owner */
	bool through_wrappers;	 /* without a finding it asks for wrappers, too */
	const char *sql;
	const struct rule_value *values; /* ends with one without a column */
	/* Of every finding; NULL: the row has it in a column of that name. says: its
	 * first line, behind the name of what it is about. */
	const char *says, *why, *advice[FINDING_ADVICE + 1], *proof;
	/* What the findings are at least, and at most; INFO: not set. */
	enum severity least, most;
	const char *facts; /* instead of a query: rows of the table quality */
};

extern const struct rule *const rule_registry[];
extern const size_t rule_registry_count;
extern const struct rule_table rule_tables[];

/* By id or slug, ignoring case; NULL: there is none. */
const struct rule *rule_find(const char *word);

/* Looks at the run, before any rule is asked, and makes what queries of rules have. In
 * any case rules_end() is to follow. 0 or -errno, then input->error is set. */
int rules_begin(struct rule_input *input);
void rules_end(struct rule_input *input);
/* Why the first measurement that the rule needs is not valid; NULL: all are. */
const char *rule_missing(const struct rule_input *input, const struct rule *rule);
/* Whether it rests on how long the program's own code took. */
bool rule_needs_time(const struct rule *rule);
/* Asks input->rule: adds what it finds. enum rule_result or -errno. */
int rule_ask(struct rule_input *input, struct findings *ret);

/* Tables of rule_tables that are computed. 0 or -errno, then input->error is set. */
int rule_keep_held(struct rule_input *input);
int rule_keep_made(struct rule_input *input);
int rule_keep_lent(struct rule_input *input);
/* bare_name(name) of queries: without parameters and template arguments. The context is
 * the input. */
struct cell rule_bare_name(void *context, const struct cell *values);

/* What rules need. */

/* The value of one of the rule's limits, perhaps changed by the user. */
double rule_limit(struct rule_input *input, const char *name);
/* The same of another rule's. */
double rule_limit_of(struct rule_input *input, const char *rule, const char *name);
/* The rows of sql; of a query that fails there are none. Bound is what the run has, see
 * run.sql, and by their names the limits of the present rule, and of the one that it
 * borrows from ("T8_valley"). */
struct cursor *rule_query(struct rule_input *input, const char *sql);
/* From now on queries have a table of this name with the rows of sql; of_rule: the limits
 * of the present rule are bound, too. 0 or -errno, then input->error is set. */
int rule_keep(struct rule_input *input, const char *name, const char *sql, bool of_rule);
/* Closes the cursor. RULE_DONE, or -errno: what went wrong with the rows (result), else
 * what with the query; then input->error is set. */
int rule_finish(struct rule_input *input, struct cursor *cursor, int result);
/* Sets the reason. Returns RULE_NOT_MEASURED. */
int rule_not_measured(struct rule_input *input, const char *reason);
/* A text that lives as long as the findings. */
const char *rule_text(struct rule_input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *rule_copy(struct rule_input *input, const char *text);

/* The text with what the present row has: "{name}" is what it has in that column,
 * "{>name}" the end of that call path, "{run}" the run, "{=name}" a limit. Of a number
 * that is evidence, with its unit and its error; "{name noun}" is "1 noun" or "13 nouns",
 * "{name|one|many}" a word. */
const char *rule_fill(struct rule_input *input, struct cursor *cursor, const char *text);

/* Adds a finding about the whole run. */
struct finding *rule_add(struct rule_input *input, struct findings *ret);
/* Adds a finding about a call path, of library code about that of its caller: fills
 * path_id, path, function_id, function and where (of the function's definition). */
struct finding *rule_add_path(struct rule_input *input, struct findings *ret,
			      int64_t path_id);
/* The same about a function; the path is the one with most time of its own. */
struct finding *rule_add_function(struct rule_input *input, struct findings *ret,
				  int64_t function_id);
/* Says where it is. */
void rule_set_line(struct rule_input *input, struct finding *finding, const char *file,
		   int64_t line);
/* part of whole from 0 to 1; 0 when whole is not positive. */
double rule_share(double part, double whole);
