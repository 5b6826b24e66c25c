/* SPDX-License-Identifier: MIT */
/*
 * Rule M5: live memory that grows over the snapshots of a run. Must not take what was
 * set up once, or fills up and stays, for growth.
 */
#include "analyzer/rules/memory/owners.h"

#include "common/base/xalloc.h"
#include "analyzer/statistics/leak_class.h"
#include "analyzer/rundb/rundb.h"

#include "memory_growth.sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The work for a site grows with the square of its points. */
#define POINTS_MOST 64
/* Below it the trend is taken for certain. */
#define P_CERTAIN 0.01

enum sum { GROWN, LAST, UNCERTAIN };

struct point {
	int64_t process_id, snapshot_id;
	double seconds;
};

struct points {
	struct point *list;
	size_t count, capacity;
};

struct growth {
	struct memory_owners owners;
	/* The process at hand. */
	size_t count;
	int64_t ids[POINTS_MOST];
	double seconds[POINTS_MOST], bytes[POINTS_MOST];
};

static int load_points(struct rule_input *input, struct points *ret)
{
	struct cursor *cursor = rule_query(input, memory_growth_sql_snapshots);

	while (cursor_next(cursor) > 0) {
		ret->list =
			xgrow(ret->list, ret->count, &ret->capacity, sizeof(*ret->list));
		ret->list[ret->count++] =
			(struct point){cursor_integer(cursor, "process_id"),
				       cursor_integer(cursor, "snapshot_id"),
				       cursor_real(cursor, "time_ns") / 1e9};
	}
	return rule_finish(input, cursor, 0);
}

/* A site is complete. */
static int judge(struct rule_input *input, struct growth *growth, int64_t path_id,
		 const char *file, int64_t line, double freed_after_last)
{
	double first = growth->bytes[0], last = growth->bytes[growth->count - 1];
	struct leak_verdict verdict;
	int result;

	if (last <= first)
		return 0;
	result = leak_classify(growth->seconds, growth->bytes, growth->count,
			       freed_after_last, &verdict);
	/* -EDOM: all snapshots at one time; no trend can be seen. */
	if (result == 0 && verdict.class == LEAK_GROWING)
		memory_owners_add(input, &growth->owners, path_id, file, line,
				  (double[]){last - first, last, verdict.p > P_CERTAIN},
				  3);
	return result == -EDOM ? 0 : result;
}

static int look_at_sites(struct rule_input *input, struct growth *growth,
			 struct cursor *cursor)
{
	int64_t site_id = 0, path_id = 0, line = 0;
	const char *file = NULL;
	double freed = 0;
	int result = 0;

	while (cursor_next(cursor) > 0) {
		if (cursor_integer(cursor, "site_id") != site_id) {
			if (site_id)
				result = judge(input, growth, path_id, file, line, freed);
			if (result < 0)
				return result;
			site_id = cursor_integer(cursor, "site_id");
			path_id = cursor_integer(cursor, "path_id");
			file = rule_copy(input, cursor_text(cursor, "file"));
			line = cursor_integer(cursor, "line");
			freed = cursor_real(cursor, "freed_bytes");
			memset(growth->bytes, 0, sizeof(growth->bytes));
		}
		for (size_t i = 0; i < growth->count; i++)
			if (growth->ids[i] >= cursor_integer(cursor, "snapshot_id") &&
			    growth->ids[i] < cursor_integer(cursor, "until_id"))
				growth->bytes[i] = cursor_real(cursor, "live_bytes");
	}
	return site_id ? judge(input, growth, path_id, file, line, freed) : 0;
}

static int look_at_process(struct rule_input *input, struct growth *growth,
			   const struct point *points, size_t count)
{
	struct cursor *cursor;

	growth->count = count < POINTS_MOST ? count : POINTS_MOST;
	for (size_t i = 0; i < growth->count; i++) {
		const struct point *point =
			&points[i * (count - 1) / (growth->count - 1)];

		growth->ids[i] = point->snapshot_id;
		growth->seconds[i] = point->seconds;
	}
	cursor = rule_query(input, memory_growth_sql_sites);
	cursor_bind_integer(cursor, ":process", points->process_id);
	cursor_bind_integer(cursor, ":last", growth->ids[growth->count - 1]);
	return rule_finish(input, cursor, look_at_sites(input, growth, cursor));
}

static int add(struct rule_input *input, struct findings *ret,
	       const struct memory_owner *owner)
{
	const double *sums = owner->sums;
	double least = rule_limit(input, "least_bytes");
	double share = rule_limit(input, "least_share") * input->peaks_bytes;
	struct finding *finding;

	least = least > share ? least : share;
	if (sums[GROWN] < least)
		return 0;
	finding = memory_owner_finding(input, ret, owner);
	finding->confidence = sums[UNCERTAIN] > 0 ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	finding_evidence_limit(finding, "grown from first to last snapshot", "bytes",
			       sums[GROWN], least);
	rule_evidence(input, finding, "live at the last", "bytes", sums[LAST], NULL);
	memory_win_live(input, finding, sums[GROWN], "share", NULL);
	rule_evidence(input, finding, "snapshots", "count", (double)input->snapshot_count,
		      NULL);
	return 0;
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	struct points points = {0};
	struct growth growth = {0};
	bool looked = false;
	int result = load_points(input, &points);

	for (size_t i = 0, next; result == 0 && i < points.count; i = next) {
		for (next = i; next < points.count &&
			       points.list[next].process_id == points.list[i].process_id;)
			next++;
		if (next - i < LEAK_POINTS_LEAST)
			continue;
		looked = true;
		result = look_at_process(input, &growth, &points.list[i], next - i);
	}
	memory_owners_sort(&growth.owners);
	if (result == 0)
		result = memory_owners_each(input, ret, &growth.owners, add);
	memory_owners_free(&growth.owners);
	free(points.list);
	if (result < 0 || looked)
		return result;
	return rule_not_measured(input, "no process has five snapshots "
					"(PROFSHIM_SNAPSHOT_EVERY=2s takes them)");
}

static const struct rule_limit limits[] = {
	{"least_bytes", 1048576, "bytes",
	 .meaning = "growth from the first to the last snapshot"},
	{"least_share", 0.05, "ratio", .most = 1,
	 .meaning = "the same as a share of the peak, of several processes of the sum "
		    "of their peaks"},
	{0},
};

const struct rule rule_snapshot_growth = {
	.id = "M5",
	.slug = "snapshot-growth",
	.limits = limits,
	.title = "Live memory grows over the snapshots",
	.summary = "a function's live bytes rise over five or more snapshots and do not "
		   "level off",
	.specific = 2,
	.needs = MEASURED_ALLOCATIONS,
	.evaluate = evaluate,
	.why = "its live bytes rise over the snapshots and do not level off",
	.advice = {"find who should release the blocks: see 'prof-analyze leaks' and "
		   "'delta' between two snapshots",
		   "bound the container: drop the oldest entries",
		   "when it is meant to grow, suppress the finding with a reason"},
	.proof = "SELECT t.process_id, t.number, t.time_ns, SUM(n.live_bytes) AS "
		 "live_bytes, SUM(n.live_count) AS live_count FROM snapshots t JOIN "
		 "snapshot_sites n USING (run_id, snapshot_id) WHERE t.run_id = {run} "
		 "AND n.path_id IN below GROUP BY t.snapshot_id ORDER BY t.snapshot_id",
};
