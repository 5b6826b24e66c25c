/* SPDX-License-Identifier: MIT */
/*
 * The contract of a rule: it looks at a run and adds findings.
 *
 * To add one: rules/NAME.c and NAME.sql, a line in registry.c and in meson.build, its
 * table of limits beside it, a seeded program in tests/programs/defects.
 */
#pragma once

#include "common/base/strbuf.h"
#include "analyzer/tree/calltree.h"
#include "analyzer/findings/finding.h"
#include "analyzer/findings/rule_limits.h"

struct cursor;
struct memory_owner;	/* analyzer/rules/memory/owners.h */
struct memory_wrappers; /* analyzer/rules/memory/wrappers.h */
struct quality;		/* analyzer/findings/quality.h */
struct rundb;
struct time_run; /* analyzer/rules/time/run.h */

enum measurement {
	MEASURED_CALLS = 1u << 0,	/* of instrumented functions */
	MEASURED_ALLOCATIONS = 1u << 1, /* and frees, peak, live bytes */
	MEASURED_STEPS = 1u << 2,
	MEASURED_WALL = 1u << 3, /* how long the run took, and so shares of it */
	/* What each path computed, waited for a CPU, and slept. Without it a duration on
	 * a busy machine may be a wait for a CPU, and a long call a wait for anything. */
	MEASURED_CPU = 1u << 4,
	MEASURED_END = 1u << 5, /* each process ended by itself */
	/* What no other rule asks for: it looks for that itself. */
	MEASURED_OWN = 1u << 6,
	/* What the program itself took: not where all of it may be an error of what was
	 * subtracted for the hooks. Shares of the run rest on it. */
	MEASURED_TIME = 1u << 7,
	/* Page faults and RSS of at least half the time that the processes lived. */
	MEASURED_SAMPLES = 1u << 8,
	MEASURED_LIBC = 1u << 9, /* what calls of libc moved, and for how long */
};

#define MEASURED_COUNT 10

enum rule_result {
	RULE_DONE = 0,
	RULE_NOT_MEASURED = 1, /* the recording lacks the data; reason says which */
};

struct rule_input {
	struct rundb *db;
	int64_t run_id;
	const struct calltree *tree; /* all call paths, linked */
	struct arena *arena;	     /* lives as long as the findings */

	/* The run. */
	double wall_ns;
	double thread_ns; /* sum over threads */
	double self_ns;	  /* corrected, sum over functions */
	double peak_bytes, alloc_bytes, alloc_count, free_count, live_bytes;
	/* Of all processes together, which need not have been at one time. Live bytes,
	 * a sum over processes, are a share of this, not of the run's peak: that is the
	 * highest of one process. */
	double peaks_bytes;
	double hook_cost_ns;	/* of one call: inside and outside the timed interval */
	double counted_cost_ns; /* of one that is only counted */
	/* Of recording allocations that no instrumented function led to: in no function's
	 * time, so nobody's was subtracted. */
	double frames_cost_ns;
	double hooks_ns, hooks_error_ns; /* of all calls and allocations, together */
	/* samples that tell program and hooks apart; 0: the calibration does */
	int64_t cpu_sample_count;
	double recorded_ns;    /* of the roots, as the clock said */
	double total_error_ns; /* of self_ns */
	int64_t calls, cpu_count, process_count, thread_count;
	int64_t sample_count, snapshot_count;
	bool is_live, complete;
	const struct time_run *time_run; /* what its time was spent on */
	/* By measured_find(): why a measurement is not valid; NULL: it is. */
	const char *missing[MEASURED_COUNT];

	/* Why a rule about time that found nothing has not passed: times that are not
	 * known and could be much of the run. By measured_find(); NULL: there are none.
	 */
	const char *unjudged;

	const char *reason;		  /* set by the rule with RULE_NOT_MEASURED */
	struct quality *quality;	  /* what Q1 finds */
	struct memory_wrappers *wrappers; /* by memory/wrappers.c */

	/* The engine's. */
	const struct rule *rule;
	const struct rule_limits *limits;
	struct strbuf *error; /* one sentence when evaluate() fails */
};

/* What a row of a rule's query has: told as evidence, unless it is NULL, and held against
 * a limit. */
struct rule_value {
	const char *words, *unit; /* NULL: not told; "percent": the column has a ratio */
	const char *column;
	const char *limit; /* of the rule's, or a column that has it; NULL: none */
	bool at_most;	   /* the value is not to be above its limit, else not below */
};
#define RULE_TELLS(words_, unit_, column_)                                               \
	{                                                                                \
		.words = words_, .unit = unit_, .column = column_                        \
	}
#define RULE_LEAST(words_, unit_, column_, limit_)                                       \
	{                                                                                \
		.words = words_, .unit = unit_, .column = column_, .limit = limit_       \
	}
#define RULE_MOST(words_, unit_, column_, limit_)                                        \
	{                                                                                \
		.words = words_, .unit = unit_, .column = column_, .limit = limit_,      \
		.at_most = true                                                          \
	}

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
	/* enum measurement: without all of them it is not asked, and not measured. Never
	 * 0. */
	unsigned needs;
	/*
	 * A rule that is a query: each row whose values are all on the right side of
	 * their limits becomes a finding. The columns path_id or function_id (neither, or
	 * 0: the whole run), saving_ns of of_ns, saving_bytes of of_bytes, at_stake (a
	 * share that weighs where no saving can be told), confidence, severity,
	 * NAME_error (of what is told of NAME), and unmeasured (why this row says
	 * nothing) are taken where there are such. "{name}" in a text is what the row has
	 * in that column, "{>name}" the end of that call path, "{run}" the run.
	 */
	const char *sql;
	const struct rule_value *values; /* ends with one without a column */
	/* Of every finding, unless the rule gives it others; in the proof "{run}",
	 * "{path_id}", "{function_id}", and "{=NAME}", the value of a limit. */
	const char *why; /* NULL: the row has it in its column why */
	const char *advice[FINDING_ADVICE + 1], *proof;
	/* What the findings are at least, and at most; INFO: not set. */
	enum severity least, most;
	/* A rule about who allocates: its sites (see memory_owners_load()), and what
	 * adds a finding about one of those that own them, if there is something to find:
	 * 0 or -errno. */
	const char *sites;
	int (*judge)(struct rule_input *input, struct findings *ret,
		     const struct memory_owner *owner);
	/* Without both, or to prepare the query, which it then asks by rule_look(): adds
	 * findings. RULE_DONE, RULE_NOT_MEASURED or -errno. */
	int (*evaluate)(struct rule_input *input, struct findings *ret);
};

extern const struct rule *const rule_registry[];
extern const size_t rule_registry_count;

/* By id or slug, ignoring case; NULL: there is none. */
const struct rule *rule_find(const char *word);

/* What a finding rests on, enum trust_touches. */
unsigned rule_rests_on(const struct finding *finding);

/* What rules need; see input.c. */

/* The value of one of the rule's limits, perhaps changed by the user. */
double rule_limit(struct rule_input *input, const char *name);
/* The same of another rule's. */
double rule_limit_of(struct rule_input *input, const char *rule, const char *name);
/* The rows of sql; of a query that fails there are none. :run and the limits of the
 * present rule, by their names, are bound; of a rule that is a query also what the run
 * has, see rows.c. */
struct cursor *rule_query(struct rule_input *input, const char *sql);
/* Closes the cursor. RULE_DONE, or -errno: what went wrong with the rows (result), else
 * what with the query; then input->error is set. */
int rule_finish(struct rule_input *input, struct cursor *cursor, int result);
/* Sets the reason. Returns RULE_NOT_MEASURED. */
int rule_not_measured(struct rule_input *input, const char *reason);
/* A text that lives as long as the findings. */
const char *rule_text(struct rule_input *input, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *rule_copy(struct rule_input *input, const char *text);

/* The end of a call path: "... > parse > read_line". */
void rule_put_chain(struct rule_input *input, int64_t path_id, struct strbuf *text);
/* The text with what the present row has, see struct rule. cursor NULL: there is none,
 * and what only a row could tell stays. */
const char *rule_fill(struct rule_input *input, struct cursor *cursor, const char *text);
/* The text with another one in the place of a word of it. */
const char *rule_replace(struct rule_input *input, const char *text, const char *word,
			 const char *with);
/* Asks the rule's query; as evaluate() does. */
int rule_look(struct rule_input *input, struct findings *ret);
/* What a query has in its first row and column; otherwise: no row, or NULL. RULE_DONE or
 * -errno. */
int rule_first_number(struct rule_input *input, const char *sql, double otherwise,
		      double *ret);

/* Adds a finding about the whole run. */
struct finding *rule_add(struct rule_input *input, struct findings *ret);
/* Adds a finding about a call path: fills path_id, path, function_id, function and where
 * (of the function's definition). */
struct finding *rule_add_path(struct rule_input *input, struct findings *ret,
			      int64_t path_id);
/* The same about a function; the path is the one with most time of its own, or with
 * most bytes allocated when by_bytes. */
struct finding *rule_add_function(struct rule_input *input, struct findings *ret,
				  int64_t function_id, bool by_bytes);
/* Adds a measured value, of "percent" as a ratio; limit: the rule's that it crossed, or
 * NULL. */
void rule_evidence(struct rule_input *input, struct finding *finding, const char *words,
		   const char *unit, double value, const char *limit);
/* Says where it is. */
void rule_set_line(struct rule_input *input, struct finding *finding, const char *file,
		   int64_t line);
/* "parse.c:31"; NULL when file is. */
const char *rule_where(struct rule_input *input, const char *file, int64_t line);
/* part of whole from 0 to 1; 0 when whole is not positive. */
double rule_share(double part, double whole);
