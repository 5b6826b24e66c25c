/* SPDX-License-Identifier: MIT */
/* Shared by the parts of the report compare. Only flamegraph may use it, too: it also
 * lays runs side by side. */
#pragma once

#include "analyzer/model/units.h"
#include "analyzer/reports/report.h"
#include "analyzer/tree/components.h"
#include "analyzer/statistics/compare.h"
#include "analyzer/statistics/compare_judge.h"
#include "analyzer/statistics/gate.h"

/* Functions with less than this share of the time are not judged: a thousand of them
 * would blind the correction for many tests. */
#define COMPARE_LEAST_SHARE 0.005

/* Metrics of a whole run, in display order. Functions that go away take their hooks
 * along, so wall times are compared without hooks. */
enum run_metric {
	RUN_WALL, /* less the hooks' part */
	RUN_HOOKS,
	RUN_RAW_WALL,
	RUN_CPU, /* of all threads less the hooks, if each recording has it */
	RUN_SELF,
	RUN_CALLS,
	RUN_ALLOC_COUNT,
	RUN_ALLOC_BYTES,
	RUN_PEAK,
	RUN_LIVE,
	RUN_METRIC_COUNT,
};

/* A recording. A column is a repetition: one recording, or all ranks of a job. */
struct compare_run {
	struct rundb *db;
	int64_t run_id;
	const char *job; /* the same in every file; NULL: no job */
	size_t column;	 /* columns of the side before come first, like the runs */
	/* compare_load() fills the rest; texts are the document's. */
	const char *label, *command, *level, *host, *cpu_model, *kernel, *clock;
	const char *shim_version;
	int64_t cpu_count, rank_count;
	double hook_cost_ns, hook_cost_error_ns, wall_ns;
	double waits; /* hooks_waits() */
	bool complete, has_budget;
	bool is_split;	    /* computing was told from waits */
	bool is_unasked;    /* turned off by PROFSHIM_WAITS=off */
	const char *losses; /* counters of losses, "2 folded_paths"; or NULL */
	/* By the ids of the file. number: in the comparison. */
	struct compare_run_function {
		int64_t function_id;
		uint32_t number;
	} * functions;
	size_t function_count;
};

/* What is judged for a function, path or component: cpu if compare_has_cpu(); ready and
 * blocked as parts of the self time. */
enum compare_time { OF_SELF, OF_CPU, OF_READY, OF_BLOCKED, COMPARE_TIMES };
struct compare_judged {
	struct change of[COMPARE_TIMES];
};

/* Subjects of one kind as a table of SQL, see show.c. */
enum compare_subject {
	COMPARE_FUNCTIONS,
	COMPARE_PATHS,
	COMPARE_SITES,
	COMPARE_COMPONENTS,
	COMPARE_SUBJECTS
};
struct compare_shown {
	struct compare_state *state;
	enum compare_subject kind;
	const struct compare_series *series;
	struct compare_judged *judged; /* by subject; NULL: none is judged */
	const char **columns;
	struct arena texts;
	/* the change that was asked for last */
	bool has_change;
	uint32_t number;
	size_t metric;
	struct change change;
};

struct compare_state {
	struct report_input *input;
	struct doc *doc;
	struct compare_run *runs; /* those before, then those after */
	size_t run_count, before_count;
	size_t column_count, before_columns;
	struct strbuf choice; /* how the sides were chosen, if that is not obvious */
	struct comparison comparison;
	struct calltree *tree; /* compare_tree() */
	struct gate gate;
	int64_t *totals;	/* [RUN_METRIC_COUNT][column_count] */
	int64_t *errors;	/* of them, likewise */
	int64_t *hooks;		/* what hooks took of them, likewise */
	bool has_common_errors; /* see struct change_errors */
	bool has_threads;	/* in some run: its peak depends on how they take turns */
	bool has_estimates;	/* some function was not timed call by call */
	double drift;
	struct change run_changes[RUN_METRIC_COUNT];
	bool has_levels; /* recorded at different levels: functions are not compared */
	struct components components; /* of the tree's paths */
	struct compare_series component_values;
	struct compare_shown shown[COMPARE_SUBJECTS];
	struct strbuf text; /* text of the last cell read */
};

/* Repetitions. */
static inline size_t compare_after_count(const struct compare_state *state)
{
	return state->column_count - state->before_columns;
}
/* One repetition a side: noise is unknown. */
static inline bool compare_is_pair(const struct compare_state *state)
{
	return state->column_count == 2;
}
static inline const int64_t *compare_totals(const struct compare_state *state,
					    enum run_metric metric)
{
	return state->totals + (size_t)metric * state->column_count;
}

static inline int64_t *compare_errors(const struct compare_state *state,
				      enum run_metric metric)
{
	return state->errors + (size_t)metric * state->column_count;
}

static inline int64_t *compare_hooks(const struct compare_state *state,
				     enum run_metric metric)
{
	return state->hooks + (size_t)metric * state->column_count;
}

/* There is no change if a side is not known. */
static inline bool compare_is_known(const struct change *change)
{
	return units_is_known(change->before, change->before_error) &&
	       units_is_known(change->after, change->after_error);
}

/* Whether every recording told computing from waits. Then verdicts are on CPU time: other
 * load on a machine prolongs everything else. */
bool compare_has_cpu(const struct compare_state *state);

/* sides.c: chooses the runs. */
void compare_choose(struct compare_state *state);
/* load.c: loads everything into the comparison. */
void compare_load(struct compare_state *state);
/* load_paths.c, also for load.c: makes queries run on this run. */
struct report_input *compare_about(struct compare_state *state, size_t run);
/* Adds hooks' waits for a CPU, which remained in the function, to the errors of values
 * (by enum compare_metric). */
void compare_add_waits(const struct compare_run *run, double raw_self_ns,
		       double raw_total_ns, int64_t *values);
/* Sets COMPARE_HOOKS of values. */
void compare_add_hooks(const struct compare_run *run, double raw_self_ns,
		       bool is_estimated, int64_t *values);
/* Loads the paths of a run whose functions are loaded. */
void compare_load_paths(struct compare_state *state, size_t number);
/* Makes a tree of the call paths of both sides, owned by caller. A path's node has its
 * number; its path_id is the number + 1. */
struct calltree *compare_tree(const struct compare_state *state);
/* named.c: applies --rename, once all functions are loaded. */
void compare_rename(struct compare_state *state);
/* Whether a function's times can be compared across the sides. */
static inline bool compare_is_judged(const struct compare_state *state, uint32_t function)
{
	return !state->has_levels &&
	       compare_is_alike(&state->comparison.functions[function]);
}
/* totals.c */
void compare_judge_totals(struct compare_state *state);
enum column_type compare_total_type(enum run_metric metric);
/* components.c: sums by component for --by, before compare_fold_left_out(). */
void compare_sum_components(struct compare_state *state);
/* compare.c: chooses, loads and judges; SQL then says what prevents comparing.
 * False: there is nothing to compare, and the input's sentence says so. */
bool compare_prepare(struct compare_state *state);
/* show.c: makes tables and functions for queries. */
void compare_show(struct compare_state *state);
/* profile.c: adds all call paths of both sides to the document, for pages. */
void compare_add_profile(const struct compare_state *state);
/* named.c: finds a function by its current name, or else the one before --rename.
 * Ends the command when none matches or several do. */
uint32_t compare_find_function(const struct compare_state *state,
			       const struct gate_limit *limit);
/* gate.c: finds the functions of limits, and makes the table and SQL function of the
 * gate. */
void compare_find_limited(struct compare_state *state);
void compare_show_gate(struct compare_state *state);

/* The mean of a metric over the runs of a side. */
int64_t compare_side_mean(const struct compare_state *state,
			  const struct compare_series *series, uint32_t subject,
			  size_t metric, bool is_after);
/* Means of one metric of a subject on both sides. */
struct change compare_means(const struct compare_state *state,
			    const struct compare_series *series, uint32_t subject,
			    size_t metric);
/* The judged change of a time: self_ns, self_cpu_ns or total_ns. */
struct change compare_times(const struct compare_state *state,
			    const struct compare_series *series, uint32_t subject,
			    enum compare_metric time);
/* judge.c: judges all subjects of a series that may be judged and matter, corrected for
 * their number. The caller frees the result. */
typedef bool compare_may_judge(const struct compare_state *state, uint32_t subject);
struct compare_judged *compare_judge(const struct compare_state *state,
				     const struct compare_series *series,
				     compare_may_judge *may_judge);
/* The change that decides the verdict. */
const struct change *compare_main(const struct compare_state *state,
				  const struct compare_judged *judged);
/* The metric of that change. */
enum compare_metric compare_main_metric(const struct compare_state *state);
/* "+1.23ms", "-4", "0"; with ~ if the error may have made the difference, or for means of
 * counts. */
void compare_put_difference(struct strbuf *text, double difference, double error,
			    enum column_type type);
/* The same without sign. */
void compare_put_amount(struct strbuf *text, double amount, double error,
			enum column_type type);
/* The difference, or 0 if the error may have made it. */
double compare_known_difference(const struct change *change);
