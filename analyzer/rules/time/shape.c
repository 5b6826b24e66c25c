/* SPDX-License-Identifier: MIT */
/*
 * Rules T12 and T13: recursion that is deep, start-up that is long. Must not count as
 * start-up what nobody recorded (the dynamic linker's work lies before the recording),
 * nor that the process had to wait for a CPU.
 */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include "time_shape.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t deepest_node(const struct calltree *tree)
{
	uint32_t deepest = CALLTREE_NONE;

	for (size_t i = 0; i < tree->order_count; i++)
		if (deepest == CALLTREE_NONE ||
		    tree->nodes[tree->order[i]].depth > tree->nodes[deepest].depth)
			deepest = tree->order[i];
	return deepest;
}

/* The function that stands on the node's path most often, its innermost activation on it
 * and the calls of all of them. */
struct recursion {
	uint32_t activations, node;
	double calls;
};

static void find_recursion(const struct calltree *tree, uint32_t node,
			   struct recursion *ret)
{
	uint32_t *counts = xcalloc(tree->function_count, sizeof(*counts));
	uint32_t most = CALLTREE_NONE;

	*ret = (struct recursion){.node = CALLTREE_NONE};
	for (uint32_t at = node; at != CALLTREE_NONE; at = tree->nodes[at].parent) {
		uint32_t function = tree->nodes[at].function;

		if (function != CALLTREE_NONE && ++counts[function] > ret->activations) {
			ret->activations = counts[function];
			most = function;
		}
	}
	for (uint32_t at = node; at != CALLTREE_NONE; at = tree->nodes[at].parent) {
		if (tree->nodes[at].function != most)
			continue;
		if (ret->node == CALLTREE_NONE)
			ret->node = at;
		ret->calls += (double)tree->nodes[at].calls;
	}
	free(counts);
}

static int evaluate_deep(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	const struct calltree *tree = input->tree;
	uint32_t deepest = deepest_node(tree);
	struct recursion recursion;
	struct finding *finding;

	if (deepest == CALLTREE_NONE)
		return rule_not_measured(input, "no call path was recorded");
	if (tree->nodes[deepest].depth < rule_limit(input, "depth"))
		return RULE_DONE;
	find_recursion(tree, deepest, &recursion);
	if (recursion.node == CALLTREE_NONE)
		return RULE_DONE;
	finding = rule_add_path(input, ret, tree->nodes[recursion.node].path_id);
	finding->confidence = CONFIDENCE_HIGH;
	finding->saving_ns = recursion.calls * rule_limit(input, "call_ns");
	finding->impact = rule_share(finding->saving_ns, run->run_ns);
	rule_evidence(input, finding, "depth of the call stack", "count",
		      tree->nodes[deepest].depth, "depth");
	rule_evidence(input, finding, "activations of the function at once", "count",
		      recursion.activations, NULL);
	rule_evidence(input, finding, "calls of them", "count", recursion.calls, NULL);
	return RULE_DONE;
}

static const struct rule_limit deep_recursion_limits[] = {
	{"depth", 1000, "count", .meaning = "depth of a call path"},
	{"call_ns", 1.8, "ns", .meaning = "cost of a call, see T2"},
	{0},
};

const struct rule rule_deep_recursion = {
	.id = "T12",
	.slug = "deep-recursion",
	.limits = deep_recursion_limits,
	.title = "A recursion that is very deep",
	.summary =
		"a call path is so deep that the stack may end: a risk more than a cost",
	.specific = 2,
	.needs = MEASURED_OWN,
	.evaluate = evaluate_deep,
	.why = "the stack grows with the input, and ends at its limit",
	.advice =
		{"turn the recursion into a loop, with a stack of your own where one is "
		 "needed",
		 "make the call the last thing, so that -O2 reuses the frame",
		 "set a limit to the depth and refuse what is deeper"},
	.proof = "SELECT name, MAX(depth) AS depth, COUNT(*) AS paths FROM call_paths "
		 "WHERE run_id = {run} GROUP BY function_id ORDER BY depth DESC LIMIT 5",
	.least = SEVERITY_MEDIUM,
};

static uint32_t find_main(const struct calltree *tree)
{
	for (size_t i = 0; i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];

		if (node->depth == 1 && !node->is_frame &&
		    strcmp(calltree_name(tree, tree->order[i]), "main") == 0)
			return tree->order[i];
	}
	return CALLTREE_NONE;
}

struct start_up {
	double before_main_ns, largest_ns;
	int64_t largest_path; /* 0: none */
	double first_step_ns; /* NAN: no step */
	double ready_ns;      /* what it waited for a CPU until then, at most */
	const char *step;
};

static int load_before_main(struct rule_input *input, int64_t main_path,
			    struct start_up *ret)
{
	struct cursor *cursor = rule_query(input, time_shape_sql_before_main);

	cursor_bind_integer(cursor, ":main", main_path);
	while (cursor_next(cursor) > 0) {
		if (!ret->largest_path) {
			ret->largest_path = cursor_integer(cursor, "path_id");
			ret->largest_ns = cursor_real(cursor, "total_ns");
		}
		ret->before_main_ns += cursor_real(cursor, "total_ns");
	}
	return rule_finish(input, cursor, 0);
}

static int load_first_step(struct rule_input *input, struct start_up *ret)
{
	double run_ns = input->time_run->run_ns, hooks_ns = input->time_run->hooks_ns;
	struct cursor *cursor = rule_query(input, time_shape_sql_first_step);

	ret->first_step_ns = NAN;
	if (cursor_next(cursor) > 0 && !cursor_is_null(cursor, "first_ns")) {
		/* By the clock, with the hooks' cost. How much of that came before the
		 * step is not known: its part of the run's. (unrtf reads for a third of
		 * its time, and was told with all of the run.) */
		ret->first_step_ns = cursor_real(cursor, "first_ns") *
				     rule_share(run_ns, run_ns + hooks_ns);
		ret->ready_ns = fmin(cursor_real(cursor, "ready_ns"), ret->first_step_ns);
		ret->first_step_ns -= ret->ready_ns;
		ret->step = rule_copy(input, cursor_text(cursor, "name"));
	}
	return rule_finish(input, cursor, 0);
}

static void tell_steps(struct rule_input *input, struct finding *finding,
		       const struct start_up *start)
{
	finding->why = rule_text(
		input, "so much of the run had gone when the first step '%s' began",
		start->step);
	finding_advise(finding,
		       "begin the steps while the rest is still being loaded, on "
		       "another thread");
	finding->sql = rule_fill(
		input, NULL,
		"SELECT s.name, MIN(s.first_ns - p.started_ns) AS first_step_ns FROM "
		"step_totals s JOIN processes p USING (process_id) WHERE s.run_id = "
		"{run} AND p.parent_process_id IS NULL");
}

static void tell_constructors(struct rule_input *input, struct finding *finding)
{
	finding->why = "constructors held the run before main() was entered";
	finding_advise(finding, "fewer static objects with constructors, fewer libraries "
				"loaded early");
	finding->sql = rule_fill(
		input, NULL,
		"SELECT path_id, name, calls, total_ns FROM call_paths WHERE run_id = "
		"{run} AND parent_path_id IS NULL AND kind = 'function' ORDER BY "
		"path_id");
}

static void add_start_up(struct rule_input *input, struct findings *ret,
			 const struct start_up *start, double start_ns, int64_t main_path)
{
	double run_ns = input->time_run->run_ns;
	bool by_step = start_ns > start->before_main_ns;
	struct finding *finding = rule_add_path(
		input, ret,
		start->largest_ns >= start_ns / 2 ? start->largest_path : main_path);

	finding->confidence = by_step ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	finding->saving_ns =
		fmax(0, start_ns - rule_limit(input, "usual_share") * run_ns);
	finding->impact = rule_share(finding->saving_ns, run_ns);
	rule_evidence(input, finding, "start-up", "ns", start_ns, "least_ns");
	rule_evidence(input, finding, "share of the run", "percent",
		      rule_share(start_ns, run_ns), "run_share");
	/* Either is enough: only what was crossed is told as a limit. */
	for (size_t i = 0; i < 2; i++)
		finding->evidence[i].has_limit =
			finding->evidence[i].value >= finding->evidence[i].limit;
	finding_evidence(finding, "before main()", "ns", start->before_main_ns);
	if (by_step && start->ready_ns > 0)
		finding_evidence(finding, "less waits for a CPU, at most", "ns",
				 start->ready_ns);
	if (by_step)
		tell_steps(input, finding, start);
	else
		tell_constructors(input, finding);
}

static int evaluate_start_up(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	struct start_up start = {0};
	uint32_t main_node = find_main(input->tree);
	double start_ns, least_ns, share_ns;
	int64_t main_path;
	int result;

	if (main_node == CALLTREE_NONE)
		return rule_not_measured(input, "main() is not instrumented");
	main_path = input->tree->nodes[main_node].path_id;
	result = load_before_main(input, main_path, &start);
	if (result == 0)
		result = load_first_step(input, &start);
	if (result < 0)
		return result;
	start_ns = fmax(start.before_main_ns, start.first_step_ns);
	least_ns = rule_limit(input, "least_ns");
	share_ns = rule_limit(input, "run_share") * run->run_ns;
	if (start_ns >= rule_limit(input, "never_ns") &&
	    (start_ns >= least_ns || start_ns >= share_ns))
		add_start_up(input, ret, &start, start_ns, main_path);
	return RULE_DONE;
}

static const struct rule_limit start_up_limits[] = {
	{"run_share", 0.3, "ratio", .most = 1,
	 .meaning = "share of the run before main() or the first step"},
	{"least_ns", 5e8, "ns", .meaning = "the same as a duration; either is enough"},
	{"never_ns", 2e7, "ns", .not_above = "least_ns",
	 .meaning = "a shorter start is no finding, whatever its share"},
	{"usual_share", 0.1, "ratio", .not_above = "run_share",
	 .meaning = "share that a start may take: what lies above counts as the gain"},
	{0},
};

const struct rule rule_start_up = {
	.id = "T13",
	.slug = "start-up-cost",
	.limits = start_up_limits,
	.title = "A start that takes long",
	.summary =
		"constructors before main(), or what comes before the first step, hold a "
		"large share of the run",
	.specific = 1,
	.needs = MEASURED_CALLS | MEASURED_TIME | MEASURED_WALL | MEASURED_CPU,
	.evaluate = evaluate_start_up,
	.advice = {"make what is built at the start only when it is first needed",
		   "build tables when the program is compiled, or keep parsed files"},
};
