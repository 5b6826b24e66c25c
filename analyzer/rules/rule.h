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
struct memory_owners;	/* analyzer/rules/owners.h */
struct memory_wrappers; /* analyzer/rules/wrappers.h */
struct quality;		/* analyzer/findings/quality.h */
struct rundb;

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

/* What the run's time was spent on; by run.c. */
struct time_run {
	/* What the run took, less the cost of the hooks, what its longest thread waited
	 * for a CPU, and the recorder's start and end in that thread's process. Of
	 * several processes at least the sum of their longest threads. At most: with the
	 * error of what was taken off, so that no share of it is too large. */
	double run_ns, hooks_ns;
	int64_t lane_count;
	double roots_ready_ns; /* what all instrumented code waited for a CPU */
	double lived_ns; /* of the threads of each process, from first to last: sum */
	/* What was computed, waited for a CPU and slept was told apart, in every process
	 * and on every path. Without it paths say that they computed. */
	bool has_split;
	/* Of the threads that were asked, over their lives. */
	struct time_threads {
		double wall_ns, cpu_ns, ready_ns, blocked_ns;
		int64_t count;
		/* Of those that wanted a CPU for at least half of what their process
		 * lived: so many at a time, for at least half of the time. */
		int64_t busy_count;
	} threads;

	/* From the samples of /proc, up to the last of each process. Ask measured.h. */
	bool has_samples;
	double span_ns; /* sum over the processes */
	double sampled_cpu_ns;
	double minor_faults, major_faults;
	double rss_peak_bytes; /* sum over the processes */
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
	/* enum measurement: without all of them it is not asked, and not measured. Never
	 * 0. */
	unsigned needs;
	const char *const *uses; /* names of rule_tables; NULL after the last */
	const char *borrows;	 /* a rule whose limits its query has, too */
	const char *unmeasured;	 /* a query: why nothing can be said */
	const char *sites;	 /* allocation sites, for the table owner */
	bool through_wrappers;	 /* without a finding it asks for wrappers, too */
	const char *sql;
	const struct rule_value *values; /* ends with one without a column */
	/* Of every finding; NULL: the row has it in a column of that name. */
	const char *why, *advice[FINDING_ADVICE + 1], *proof;
	/* What the findings are at least, and at most; INFO: not set. */
	enum severity least, most;
	/* Instead of a query: RULE_DONE, RULE_NOT_MEASURED or -errno. */
	int (*evaluate)(struct rule_input *input, struct findings *ret);
};

extern const struct rule *const rule_registry[];
extern const size_t rule_registry_count;
extern const struct rule_table rule_tables[];

/* By id or slug, ignoring case; NULL: there is none. */
const struct rule *rule_find(const char *word);

/* What a finding rests on, enum trust_touches. */
unsigned rule_rests_on(const struct finding *finding);

/* The functions that queries of rules have: is_found('T1', function_id). To be taken away
 * by rules_end(). 0 or -errno. */
int rules_begin(struct rule_input *input);
void rules_end(struct rule_input *input);
/* Asks input->rule: adds what it finds. RULE_DONE, RULE_NOT_MEASURED or -errno. */
int rule_ask(struct rule_input *input, struct findings *ret);

/* Tables of rule_tables that are computed. 0 or -errno, then input->error is set. */
int rule_keep_held(struct rule_input *input);
int rule_keep_made(struct rule_input *input);

/* What rules need; see input.c. */

/* The value of one of the rule's limits, perhaps changed by the user. */
double rule_limit(struct rule_input *input, const char *name);
/* The same of another rule's. */
double rule_limit_of(struct rule_input *input, const char *rule, const char *name);
/* The rows of sql; of a query that fails there are none. Bound is what the run has, see
 * input.c, and by their names the limits of the present rule, and of the one that it
 * borrows from ("T8_valley"). */
struct cursor *rule_query(struct rule_input *input, const char *sql);
/* Of a query that no rule asks alone: what the run has. */
void rule_bind_run(const struct rule_input *input, struct cursor *cursor);
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
 * "{>name}" the end of that call path, "{run}" the run, "{=name}" a limit. */
const char *rule_fill(struct rule_input *input, struct cursor *cursor, const char *text);

/* Adds a finding about the whole run. */
struct finding *rule_add(struct rule_input *input, struct findings *ret);
/* Adds a finding about a call path: fills path_id, path, function_id, function and where
 * (of the function's definition). */
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
