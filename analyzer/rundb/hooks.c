/* SPDX-License-Identifier: MIT */
/* The recorder's cost in a run. Must not trust counts: a file may hold any. */
#include "analyzer/rundb/hooks.h"

#include "analyzer/rundb/rundb.h"
#include "analyzer/rundb/sums.h"
#include "common/poisson.h"

#include "hooks.sql.h"

#include <math.h>

/* 3 years: larger numbers are damaged. */
#define MOST_NS 1e17

static struct hooks_cost cost_of(struct cursor *cursor, const char *ns, const char *error)
{
	return (struct hooks_cost){fmax(0, cursor_real(cursor, ns)),
				   fmax(0, cursor_real(cursor, error))};
}

static void load_lanes(struct rundb *db, int64_t run_id, struct hooks *ret)
{
	auto_cursor struct cursor *cursor = rundb_query(db, hooks_sql_lanes);
	struct sums lanes = {.count = 0};
	double calls = 0, most = 0;

	cursor_bind_integer(cursor, ":run", run_id);
	while (cursor_next(cursor))
		sums_add(&lanes, cursor_integer(cursor, "lane_id"), 0, 0,
			 cursor_integer(cursor, "calls"));
	for (size_t i = 0; i < lanes.count; i++) {
		calls += (double)lanes.all[i].value;
		most = fmax(most, (double)lanes.all[i].value);
	}
	ret->busiest_share = calls > 0 ? fmin(1, most / calls) : 1;
	sums_done(&lanes);
}

/* The part of the computed time that these samples stand for. */
static struct hooks_cost sampled(double count, double all, double computed_ns)
{
	double grain_ns = all > 0 ? computed_ns / all : 0;
	double more = poisson_high(count) - count;

	return (struct hooks_cost){fmin(MOST_NS, grain_ns * count),
				   fmin(MOST_NS, grain_ns * more)};
}

static void load_samples(struct rundb *db, int64_t run_id, struct hooks *ret)
{
	auto_cursor struct cursor *cursor = rundb_query(db, hooks_sql_samples);

	cursor_bind_integer(cursor, ":run", run_id);
	if (cursor_next(cursor)) {
		double known = fmax(0, cursor_real(cursor, "count") -
					       cursor_real(cursor, "folded_count"));
		double computed_ns = fmax(0, cursor_real(cursor, "computed_ns"));
		double all_ns = fmax(computed_ns, cursor_real(cursor, "cpu_ns"));

		ret->has_samples = known > 0 && computed_ns > 0 &&
				   cursor_real(cursor, "cpu_ns") >= computed_ns / 2;
		ret->sampled = sampled(fmax(0, cursor_real(cursor, "hook_count")), known,
				       all_ns);
		ret->sampled_counting = sampled(
			fmax(0, cursor_real(cursor, "stub_count")), known, all_ns);
	}
}

void hooks_load(struct rundb *db, int64_t run_id, struct hooks *ret)
{
	auto_cursor struct cursor *cursor = rundb_query(db, hooks_sql_run);

	*ret = (struct hooks){.busiest_share = 1};
	cursor_bind_integer(cursor, ":run", run_id);
	if (cursor_next(cursor)) {
		ret->pair = cost_of(cursor, "hook_cost_ns", "hook_cost_error_ns");
		ret->counted =
			cost_of(cursor, "counted_cost_ns", "counted_cost_error_ns");
		ret->alloc = cost_of(cursor, "alloc_cost_ns", "alloc_cost_error_ns");
		ret->calls = fmax(0, cursor_real(cursor, "calls"));
		ret->counted_calls =
			fmin(ret->calls, fmax(0, cursor_real(cursor, "counted_calls")));
		ret->allocs = fmax(0, cursor_real(cursor, "alloc_count"));
		ret->left_out_ns =
			fmin(MOST_NS, fmax(0, cursor_real(cursor, "left_out_ns")));
		ret->waited_ns = fmax(0, cursor_real(cursor, "waited_ns"));
		ret->has_budget = !cursor_is_null(cursor, "overhead_percent");
		ret->budget_percent = cursor_real(cursor, "overhead_percent");
	}
	load_samples(db, run_id, ret);
	load_lanes(db, run_id, ret);
}

static struct hooks_cost times(struct hooks_cost cost, double count)
{
	return (struct hooks_cost){cost.ns * count, cost.error_ns * count};
}

/* Adds costs that were calibrated separately, so that their errors are independent. */
static struct hooks_cost plus(struct hooks_cost a, struct hooks_cost b)
{
	return (struct hooks_cost){a.ns + b.ns, hypot(a.error_ns, b.error_ns)};
}

struct hooks_cost hooks_counting(const struct hooks *hooks)
{
	return hooks->has_samples ? hooks->sampled_counting
				  : times(hooks->counted, hooks->counted_calls);
}

struct hooks_cost hooks_total(const struct hooks *hooks)
{
	struct hooks_cost calls =
		plus(times(hooks->pair, hooks->calls - hooks->counted_calls),
		     hooks_counting(hooks));

	if (hooks->has_samples)
		return hooks->sampled;
	calls.ns += hooks->left_out_ns;
	return plus(calls, times(hooks->alloc, hooks->allocs));
}

/* At least what the busiest thread took; the others may have taken more beside it. */
static struct hooks_cost on_idle_machine(const struct hooks *hooks)
{
	struct hooks_cost all = hooks_total(hooks);
	double beside = (1 - hooks->busiest_share) / 2;

	return plus(times(all, hooks->busiest_share + beside),
		    (struct hooks_cost){0, all.ns * beside});
}

/* Hooks get the same share of the waits for a CPU as of the computed time. */
double hooks_waits(const struct hooks *hooks, double wall_ns)
{
	double waited_ns = fmin(hooks->waited_ns * hooks->busiest_share, wall_ns);
	double hooks_ns = on_idle_machine(hooks).ns;

	return wall_ns > 0 && hooks_ns > 0
		       ? waited_ns / fmax(wall_ns - waited_ns, hooks_ns)
		       : 0;
}

struct hooks_cost hooks_on_wall(const struct hooks *hooks, double wall_ns)
{
	struct hooks_cost wall = on_idle_machine(hooks);
	double waits_ns = hooks_waits(hooks, wall_ns) * wall.ns;

	return plus(wall, (struct hooks_cost){waits_ns, waits_ns / 2});
}

struct hooks_cost hooks_percent(struct hooks_cost cost, double time_ns)
{
	if (!(time_ns > 0))
		return (struct hooks_cost){NAN, NAN};
	return (struct hooks_cost){fmin(100, 100 * cost.ns / time_ns),
				   fmin(100, 100 * cost.error_ns / time_ns)};
}
