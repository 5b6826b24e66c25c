/* SPDX-License-Identifier: MIT */
/*
 * ORDER. A caller's calls have to be on their paths before those that it made can be
 * divided among these. So each function is looked at after its callers, by a walk with a
 * stack of its own. Of functions that call each other in a circle those calls come first
 * that lead into it; what is left when nothing else can be placed is placed with what is
 * known of other threads and processes, or in the end below a path that begins with the
 * caller.
 */
#include "collector/account/callers/edges.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

/* Calls are divided among paths as long as there are not more parts than this; then all
 * of a caller's go to its most frequent path. */
#define PARTS_MOST (1u << 22)

/* Among so many of a caller's paths, the most frequent ones: else there were as many as
 * ways through all functions that are only counted. */
#define PATHS_MOST 64u

/* Calls in circles are looked at so often. */
#define ROUNDS_MOST 64

enum state { NEW, BUSY, DONE };

/* What the lane has of a function. All 0 between lanes. */
struct lane_function {
	uint32_t first_count;  /* of its counts; 1 + index in the lane */
	uint32_t first_placed; /* of its calls that have a path; 1 + index in kept */
	enum state state;
};

/* Where calls may be: on a path, or one below it. */
struct way {
	uint32_t path;
	uint64_t calls, passed_calls;
};

struct ways {
	struct way *all;
	size_t count;
	int is_above;
};

/* How much of what is known of the caller a path has to agree with: that it is its code
 * more than that it is its function, which may be inlined there. TWIN: the path beside it
 * would agree in both, see merge_twin_path(). */
enum likeness { BOTH, TWIN, OUTER, INNER };

struct edges {
	struct merge *merge;
	struct kept *kept;
	const struct weights *weights;
	struct hosts *hosts;
	const struct callers *callers;
	enum likeness least; /* that places them */
	struct lane_function *functions;
	/* of the lane that is looked at */
	const struct kept_lane *lane;
	struct kept_count *counts;
	size_t count_count;
	uint32_t *stack;
	size_t depth;
	struct ways ways;
};

struct edges *edges_new(struct merge *merge, struct kept *kept,
			const struct weights *weights, struct hosts *hosts,
			const struct callers *callers)
{
	struct edges *edges = pool_array(kept->pool, 1, sizeof(*edges));

	edges->merge = merge;
	edges->kept = kept;
	edges->weights = weights;
	edges->hosts = hosts;
	edges->callers = callers;
	edges->functions = pool_array(kept->pool, merge->identify.function_count,
				      sizeof(*edges->functions));
	return edges;
}

/* The path of the function that called this one: a region in between is none. */
static uint32_t caller_path(const struct merge *merge, uint32_t path)
{
	do {
		path = merge->paths[path].parent;
	} while (path && merge->paths[path].kind != MERGE_FUNCTION);
	return path;
}

/* A frame says of the first call only whether it is a copy's, and so does its path. */
static int has_twin(const struct edges *edges, uint32_t path, const struct caller *caller)
{
	uint32_t parent = edges->merge->paths[path].parent;
	int is_copy = hosts_is_copy(edges->hosts, path);

	if (caller->is_part || is_copy != (caller->inner == caller->outer))
		return 0;
	return is_copy || (parent && hosts_of(edges->hosts, parent) == caller->outer);
}

static int is_like(const struct edges *edges, uint32_t path, const struct caller *caller,
		   enum likeness likeness)
{
	int is_inner = edges->merge->paths[path].function == caller->inner;
	int is_outer = caller->is_part || hosts_of(edges->hosts, path) == caller->outer;

	if (!path)
		return 0;
	switch (likeness) {
	case BOTH:
		return is_inner && is_outer;
	case TWIN:
		return is_inner && has_twin(edges, path, caller);
	case OUTER:
		return is_outer;
	default:
		return is_inner;
	}
}

/* Is it a path of such calls? */
static int is_theirs(const struct edges *edges, uint32_t path,
		     const struct caller *caller, enum likeness likeness)
{
	if (hosts_is_copy(edges->hosts, path) != caller->is_copy)
		return 0;
	return caller->inner == MERGE_NO_FUNCTION ||
	       is_like(edges, caller_path(edges->merge, path), caller, likeness);
}

static void add_host(struct edges *edges, uint32_t path, int is_copy)
{
	hosts_add(edges->hosts, path, is_copy);
	edges->merge->paths[path].has_copies |= is_copy;
}

static void add_way(struct edges *edges, struct way way)
{
	POOL_ADD(edges->kept->pool, edges->ways.all, edges->ways.count) = way;
}

static const struct weight *find_group(const struct edges *edges, uint32_t function,
				       enum weights_scope scope, size_t *ret_count)
{
	struct weight key = {.function = function,
			     .process = edges->lane->process,
			     .lane = edges->lane->lane};

	return weights_find(edges->weights, scope, &key, ret_count);
}

/* Paths where calls of the function with frames were made by the caller; NULL: by
 * anybody. */
static size_t find_seen(struct edges *edges, uint32_t function,
			const struct caller *caller, enum weights_scope scope,
			enum likeness likeness)
{
	size_t count;
	const struct weight *all = find_group(edges, function, scope, &count);

	edges->ways.count = 0;
	edges->ways.is_above = 0;
	for (size_t i = 0; i < count; i++)
		if ((all[i].calls || all[i].passed_calls) &&
		    (!caller || is_theirs(edges, all[i].path, caller, likeness)))
			add_way(edges, (struct way){all[i].path, all[i].calls,
						    all[i].passed_calls});
	return edges->ways.count;
}

/* The caller's own, with frames and without. */
static size_t find_above(struct edges *edges, const struct caller *caller,
			 enum weights_scope scope, enum likeness likeness)
{
	uint32_t function = likeness == OUTER ? caller->outer : caller->inner;
	size_t count;
	const struct weight *all = find_group(edges, function, scope, &count);
	uint32_t at = edges->functions[function].first_placed;

	edges->ways.count = 0;
	edges->ways.is_above = 1;
	for (size_t i = 0; i < count; i++)
		if (is_like(edges, all[i].path, caller, likeness))
			add_way(edges, (struct way){all[i].path, all[i].calls,
						    all[i].passed_calls});
	for (; scope == WEIGHTS_LANE && at; at = edges->kept->calls[at - 1].next) {
		const struct kept_calls *placed = &edges->kept->calls[at - 1];

		if (is_like(edges, placed->path, caller, likeness))
			add_way(edges, (struct way){placed->path, placed->calls, 0});
	}
	return edges->ways.count;
}

/* The paths beside those that were found, with the calls of these: none are known. */
static size_t take_twins(struct edges *edges, const struct caller *caller)
{
	struct ways *ways = &edges->ways;
	size_t count = 0;

	for (size_t i = 0; i < ways->count; i++) {
		uint32_t twin = merge_twin_path(edges->merge, ways->all[i].path);

		if (!twin)
			continue;
		add_host(edges, twin, caller->inner != caller->outer);
		ways->all[count] = ways->all[i];
		ways->all[count++].path = twin;
	}
	return ways->count = count;
}

/* Of calls that say more of their caller than others, first. */
static size_t find_ways(struct edges *edges, uint32_t function,
			const struct caller *caller, enum weights_scope scope)
{
	for (enum likeness likeness = 0; likeness <= edges->least; likeness++) {
		if (likeness != TWIN &&
		    find_seen(edges, function, caller, scope, likeness))
			return edges->ways.count;
		if (find_above(edges, caller, scope, likeness) &&
		    (likeness != TWIN || take_twins(edges, caller)))
			return edges->ways.count;
	}
	return 0;
}

/* Those of the lane that have been placed. */
static size_t find_placed(struct edges *edges, uint32_t function)
{
	uint32_t at = edges->functions[function].first_placed;

	edges->ways.count = 0;
	edges->ways.is_above = 0;
	for (; at; at = edges->kept->calls[at - 1].next)
		add_way(edges, (struct way){edges->kept->calls[at - 1].path,
					    edges->kept->calls[at - 1].calls, 0});
	return edges->ways.count;
}

/* Whose caller is not known: no copies, as far as there are others. */
static size_t find_any(struct edges *edges, uint32_t function)
{
	const struct caller nobody = {MERGE_NO_FUNCTION, MERGE_NO_FUNCTION, 0, 0};

	for (enum weights_scope scope = 0; scope < WEIGHTS_SCOPES; scope++) {
		if (find_seen(edges, function, &nobody, scope, BOTH) ||
		    find_seen(edges, function, NULL, scope, BOTH) ||
		    (scope == WEIGHTS_LANE && find_placed(edges, function)))
			return edges->ways.count;
	}
	return 0;
}

static int by_calls(const void *a, const void *b)
{
	const struct way *left = a, *right = b;

	if (left->calls != right->calls)
		return left->calls > right->calls ? -1 : 1;
	if (left->passed_calls != right->passed_calls)
		return left->passed_calls > right->passed_calls ? -1 : 1;
	return left->path < right->path ? -1 : left->path > right->path;
}

/*
 * By what calls are divided. A path without a call is a level of others' calls: beside
 * paths with calls it has as much as the rarest of these can have been; where no path has
 * any, the calls that it passed on count, and if there are none of these all are alike.
 */
static uint64_t *weigh(const struct ways *ways)
{
	uint64_t *ret = xcalloc(ways->count, sizeof(*ret)), calls = 0, passed = 0;

	for (size_t i = 0; i < ways->count; i++) {
		calls |= ways->all[i].calls;
		passed |= ways->all[i].passed_calls;
	}
	for (size_t i = 0; i < ways->count; i++) {
		const struct way *way = &ways->all[i];

		ret[i] = calls ? way->calls : way->passed_calls;
		if (!ret[i] && ((calls && way->passed_calls) || (!calls && !passed)))
			ret[i] = 1;
	}
	return ret;
}

/* The path of calls that are found on this way; 0: there is no room for it. */
static uint32_t path_at(struct edges *edges, uint32_t above, uint32_t function,
			int is_copy)
{
	struct merge *merge = edges->merge;
	uint32_t path;

	if (!merge_has_room(merge, above, function, MERGE_FUNCTION))
		return 0;
	path = merge_child_path(merge, above, function, MERGE_FUNCTION);
	hosts_add(edges->hosts, path, is_copy);
	if (hosts_is_copy(edges->hosts, path) != is_copy)
		path = merge_twin_path(merge, path);
	if (path)
		add_host(edges, path, is_copy);
	return path;
}

static void keep(struct edges *edges, const struct kept_calls *calls)
{
	const struct merge_mode *mode = &edges->merge->modes[calls->mode];
	struct lane_function *function = &edges->functions[mode->function];
	struct kept_calls *to =
		&POOL_ADD(edges->kept->pool, edges->kept->calls, edges->kept->call_count);

	*to = *calls;
	if (calls->is_nested)
		return;
	merge_note_own_call(edges->merge, calls->path, mode->place, mode->place_count);
	if (edges->merge->paths[calls->path].recording < SEGMENT_RECORDING_COUNTED)
		edges->merge->paths[calls->path].recording = SEGMENT_RECORDING_COUNTED;
	to->next = function->first_placed;
	function->first_placed = (uint32_t)edges->kept->call_count;
}

static void keep_part(struct edges *edges, struct kept_calls calls, uint32_t above,
		      int is_copy)
{
	calls.path =
		path_at(edges, above, edges->merge->modes[calls.mode].function, is_copy);
	if (calls.path)
		keep(edges, &calls);
	else if (!calls.is_nested)
		count_add(&edges->merge->folded_call_count, calls.calls);
}

/* Divides the calls among the ways. */
static void divide(struct edges *edges, const struct kept_calls *calls, int is_copy)
{
	struct ways *ways = &edges->ways;
	auto_free uint64_t *weights = NULL, *parts = NULL;

	if (ways->count > PATHS_MOST ||
	    edges->kept->call_count + ways->count > PARTS_MOST)
		qsort(ways->all, ways->count, sizeof(*ways->all), by_calls);
	if (ways->count > PATHS_MOST)
		ways->count = PATHS_MOST;
	if (edges->kept->call_count + ways->count > PARTS_MOST)
		ways->count = 1;
	weights = weigh(ways);
	parts = xcalloc(ways->count, sizeof(*parts));
	weights_apportion(calls->calls, weights, ways->count, parts);
	for (size_t i = 0; i < ways->count; i++) {
		struct kept_calls part = *calls;

		part.path = ways->all[i].path;
		part.calls = parts[i];
		if (!part.calls)
			continue;
		if (ways->is_above)
			keep_part(edges, part, part.path, is_copy);
		else
			keep(edges, &part);
	}
}

/* Calls of which nothing is known, and entries that are none (counted.c), which are on
 * the function's own paths. */
static void place_anywhere(struct edges *edges, const struct kept_calls *calls)
{
	uint32_t function = edges->merge->modes[calls->mode].function;

	if (find_any(edges, function))
		divide(edges, calls, 0);
	else
		keep_part(edges, *calls, 0, 0);
}

static struct kept_calls calls_of(const struct kept_count *counts)
{
	return (struct kept_calls){.mode = counts->mode, .calls = counts->calls};
}

/* 0: there is no path for them in the lane yet. */
static int place_in_lane(struct edges *edges, struct kept_count *counts)
{
	struct kept_calls calls = calls_of(counts);
	struct caller caller = callers_of(edges->callers, calls.mode);
	uint32_t function = edges->merge->modes[calls.mode].function;

	if (counts->is_placed)
		return 1;
	if (!find_ways(edges, function, &caller, WEIGHTS_LANE))
		return 0;
	divide(edges, &calls, caller.is_copy);
	counts->is_placed = 1;
	return 1;
}

/* By what other lanes know; or else below the caller, who is known, as nobody's. */
static void place_at_last(struct edges *edges, struct kept_count *counts)
{
	struct kept_calls calls = calls_of(counts);
	struct caller caller = callers_of(edges->callers, calls.mode);
	uint32_t function = edges->merge->modes[calls.mode].function, path;

	if (counts->is_placed)
		return;
	counts->is_placed = 1;
	if (find_ways(edges, function, &caller, WEIGHTS_PROCESS) ||
	    find_ways(edges, function, &caller, WEIGHTS_RUN)) {
		divide(edges, &calls, caller.is_copy);
		return;
	}
	path = path_at(edges, 0, caller.inner, 0);
	keep_part(edges, calls, path, caller.is_copy);
}

/* Its counts, one after the other; NULL behind the last. */
static struct kept_count *counts_at(const struct edges *edges, uint32_t number)
{
	return number ? &edges->counts[number - 1] : NULL;
}

static struct kept_count *first_counts(const struct edges *edges, uint32_t function)
{
	return counts_at(edges, edges->functions[function].first_count);
}

static int has_caller(const struct edges *edges, const struct kept_count *counts)
{
	return callers_of(edges->callers, counts->mode).inner != MERGE_NO_FUNCTION;
}

/* Nothing of it is to be placed that is not. */
static int is_resolved(const struct edges *edges, uint32_t function)
{
	return !edges->functions[function].first_count ||
	       edges->functions[function].state == DONE;
}

/* Those of its calls whose callers are where they belong; all: whose callers are
 * anywhere. */
static void place_some(struct edges *edges, uint32_t function, int all)
{
	struct kept_count *counts = first_counts(edges, function);

	for (; counts; counts = counts_at(edges, counts->next)) {
		struct caller caller = callers_of(edges->callers, counts->mode);

		if (caller.inner != MERGE_NO_FUNCTION &&
		    (all || (is_resolved(edges, caller.inner) &&
			     is_resolved(edges, caller.outer))))
			place_in_lane(edges, counts);
	}
}

static void place_unknown(struct edges *edges, uint32_t function)
{
	struct kept_count *counts = first_counts(edges, function);

	for (; counts; counts = counts_at(edges, counts->next)) {
		struct kept_calls calls = calls_of(counts);

		if (!has_caller(edges, counts) && calls.calls)
			place_anywhere(edges, &calls);
		if (!has_caller(edges, counts))
			counts->is_placed = 1;
	}
}

static void push(struct edges *edges, uint32_t function)
{
	POOL_ADD(edges->kept->pool, edges->stack, edges->depth) = function;
	edges->functions[function].state = BUSY;
	place_some(edges, function, 0);
}

/* A caller that nobody has looked at. 0: there is none. */
static int push_caller(struct edges *edges, uint32_t function)
{
	struct kept_count *counts = first_counts(edges, function);

	for (; counts; counts = counts_at(edges, counts->next)) {
		struct caller caller = callers_of(edges->callers, counts->mode);

		if (counts->is_placed || caller.inner == MERGE_NO_FUNCTION)
			continue;
		for (int i = 0; i < 2; i++) {
			uint32_t at = i ? caller.outer : caller.inner;

			if (edges->functions[at].first_count &&
			    edges->functions[at].state == NEW) {
				push(edges, at);
				return 1;
			}
		}
	}
	return 0;
}

/* The function's calls, after those of its callers. */
static void place_function(struct edges *edges, uint32_t function)
{
	if (edges->functions[function].state != NEW)
		return;
	push(edges, function);
	while (edges->depth) {
		uint32_t top = edges->stack[edges->depth - 1];

		if (push_caller(edges, top))
			continue;
		place_some(edges, top, 1);
		place_unknown(edges, top);
		edges->functions[top].state = DONE;
		edges->depth--;
	}
}

static void place_circles(struct edges *edges, enum likeness least)
{
	int is_more = 1;

	edges->least = least;
	for (int round = 0; is_more && round < ROUNDS_MOST; round++) {
		is_more = 0;
		for (size_t i = 0; i < edges->count_count; i++)
			if (!edges->counts[i].is_placed)
				is_more |= place_in_lane(edges, &edges->counts[i]);
	}
}

/* What circles have left. A path that is in other code than the caller's is taken when
 * there will be no better one. */
static void place_rest(struct edges *edges)
{
	place_circles(edges, OUTER);
	place_circles(edges, INNER);
	for (size_t i = 0; i < edges->count_count; i++)
		place_at_last(edges, &edges->counts[i]);
}

static void place_nested(struct edges *edges)
{
	for (size_t i = 0; i < edges->count_count; i++) {
		const struct kept_count *count = &edges->counts[i];

		if (count->nested_calls)
			place_anywhere(edges,
				       &(struct kept_calls){.mode = count->mode,
							    .calls = count->nested_calls,
							    .is_nested = 1});
	}
}

static void list_counts(struct edges *edges)
{
	const struct kept_lane *lane = edges->lane;

	edges->count_count = lane->counts.end - lane->counts.first;
	if (edges->count_count)
		edges->counts = &edges->kept->counts[lane->counts.first];
	for (size_t i = edges->count_count; i-- > 0;) {
		struct kept_count *count = &edges->counts[i];
		struct lane_function *function =
			&edges->functions[edges->merge->modes[count->mode].function];

		count->next = function->first_count;
		count->is_placed = !count->calls;
		function->first_count = (uint32_t)i + 1;
	}
}

static void forget_lane(struct edges *edges)
{
	for (size_t i = 0; i < edges->count_count; i++)
		edges->functions[edges->merge->modes[edges->counts[i].mode].function] =
			(struct lane_function){.state = NEW};
}

void edges_place(struct edges *edges, struct kept_lane *lane)
{
	lane->calls.first = lane->calls.end = edges->kept->call_count;
	edges->lane = lane;
	edges->least = OUTER;
	list_counts(edges);
	for (size_t i = 0; i < edges->count_count; i++)
		place_function(edges,
			       edges->merge->modes[edges->counts[i].mode].function);
	place_rest(edges);
	place_nested(edges);
	forget_lane(edges);
	lane->calls.end = edges->kept->call_count;
}
