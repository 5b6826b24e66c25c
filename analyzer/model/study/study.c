/* SPDX-License-Identifier: MIT */
/* Calls and their paths. */
#include "analyzer/model/study/study.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

uint32_t study_path(struct study *study, uint32_t parent, uint64_t function,
		    int64_t path_id)
{
	bool is_new;
	uint32_t number = map_number(&study->map, parent, function, 0, &is_new);

	if (!is_new)
		return number;
	study->paths = array_room(study->paths, number, sizeof(*study->paths));
	study->paths[number] = (struct study_path){
		.parent = parent, .function = function, .path_id = path_id};
	study->path_count = number + 1;
	return number;
}

struct study_call *study_add_call(struct study *study, int64_t id)
{
	struct study_call *call = &ARRAY_ADD(study->calls, study->call_count);

	call->id = id;
	return call;
}

struct study_numbers *study_part(struct study_call *call, uint32_t path)
{
	while (call->part_count <= path)
		(void)ARRAY_ADD(call->parts, call->part_count);
	return &call->parts[path];
}

void study_numbers_add(struct study_numbers *to, const struct study_numbers *from,
		       double factor)
{
	to->calls += factor * from->calls;
	to->self_ns += factor * from->self_ns;
	to->ready_ns += factor * from->ready_ns;
	to->blocked_ns += factor * from->blocked_ns;
	to->alloc_count += factor * from->alloc_count;
	to->alloc_bytes += factor * from->alloc_bytes;
}

/* Finds the slow calls, sums up what calls did, and finds the cause of each slow one:
 * from the function inwards along most of the difference. */

#define ALLOC_TIMES 10 /* this many times the usual number counts as the cause */
#define ALLOCS_LEAST 100
#define BYTES_LEAST (1 << 20)

static const struct study_numbers nothing;

static const struct study_numbers *part_at(const struct study_call *call, uint32_t path)
{
	return path < call->part_count ? &call->parts[path] : &nothing;
}

/* By path: the extra time at and below it. Parents have lower numbers. */
static double *differences(const struct study *study, const struct study_call *call)
{
	double *ret = xcalloc(study->path_count + 1u, sizeof(*ret));

	for (uint32_t i = 0; i < study->path_count; i++)
		ret[i] = part_at(call, i)->self_ns - study->paths[i].usual.self_ns;
	for (uint32_t i = study->path_count; i-- > 1;)
		if (study->paths[i].parent < i)
			ret[study->paths[i].parent] += ret[i];
	return ret;
}

/* The innermost path with more than half of the difference. */
static uint32_t descend(const struct study *study, const double *longer_ns)
{
	uint32_t at = 0;

	for (uint32_t i = 1; i < study->path_count; i++)
		if (study->paths[i].parent == at && longer_ns[i] > longer_ns[0] / 2)
			at = i;
	return at;
}

/* Sums at and below a path; calls are the path's own. only_waits: over paths that wait
 * only. */
static struct study_numbers subtree(const struct study *study,
				    const struct study_call *call, uint32_t top,
				    bool only_waits)
{
	auto_free uint8_t *is_below = xcalloc(study->path_count + 1u, sizeof(*is_below));
	struct study_numbers sum = nothing;

	is_below[top] = 1;
	for (uint32_t i = top; i < study->path_count; i++) {
		if (i > top && study->paths[i].parent < i)
			is_below[i] = is_below[study->paths[i].parent];
		if (is_below[i] && (study->paths[i].waits || !only_waits))
			study_numbers_add(
				&sum, call ? part_at(call, i) : &study->paths[i].usual,
				1);
	}
	sum.calls = call ? part_at(call, top)->calls : study->paths[top].usual.calls;
	return sum;
}

static bool allocates(const struct study_cause *cause)
{
	double count = cause->now.alloc_count, bytes = cause->now.alloc_bytes;

	return (count >= ALLOCS_LEAST &&
		count > ALLOC_TIMES * cause->usual.alloc_count) ||
	       (bytes >= BYTES_LEAST && bytes > ALLOC_TIMES * cause->usual.alloc_bytes);
}

/* Whether the path itself caused it, not many paths below it a little each. */
static bool is_its_own(const struct study *study, const struct study_call *call)
{
	const struct study_cause *cause = &call->cause;

	return part_at(call, cause->path)->self_ns -
		       study->paths[cause->path].usual.self_ns >
	       cause->explained_ns / 2;
}

static enum study_kind kind_of(const struct study *study, const struct study_call *call)
{
	const struct study_cause *cause = &call->cause;
	double half_ns = cause->explained_ns / 2;
	double off_ns = cause->now.blocked_ns - cause->usual.blocked_ns;
	double each_ns =
		cause->usual.calls > 0 ? cause->usual.self_ns / cause->usual.calls : 0;

	if (cause->waited_ns > half_ns)
		return STUDY_BLOCKED;
	if (study->usual_count && !study->paths[cause->path].usual_count)
		return STUDY_ONLY_NOW;
	if ((cause->now.calls - cause->usual.calls) * each_ns > half_ns)
		return STUDY_MORE_CALLS;
	if (allocates(cause))
		return STUDY_ALLOCATES;
	if (off_ns > half_ns)
		return STUDY_OFF_CPU;
	return is_its_own(study, call) ? STUDY_COMPUTES : STUDY_SPREAD;
}

/* The outermost path at or above this one that no usual call takes. */
static uint32_t outermost_new(const struct study *study, uint32_t path)
{
	uint32_t parent = study->paths[path].parent;

	while (parent != STUDY_NONE && !study->paths[parent].usual_count) {
		path = parent;
		parent = study->paths[path].parent;
	}
	return path;
}

static void fill_in(const struct study *study, struct study_call *call, uint32_t path,
		    double explained_ns)
{
	struct study_cause *cause = &call->cause;

	cause->path = path;
	cause->explained_ns = explained_ns;
	cause->now = subtree(study, call, path, false);
	cause->usual = subtree(study, NULL, path, false);
	cause->waited_ns = subtree(study, call, path, true).blocked_ns -
			   subtree(study, NULL, path, true).blocked_ns;
}

/* Sets the cause of a slow call; the usual numbers must be known. | It descends from the
 * function to the path that has more than half of the extra time, at and below it, until
 * no path has. The first certain explanation there is the cause: waits, if they are half
 * of it; a path that no usual call takes; more calls, if their usual length explains
 * half; ten times the allocations or bytes; no CPU; or more computing. */
static void cause_find(const struct study *study, struct study_call *call)
{
	struct study_cause *cause = &call->cause;
	auto_free double *longer_ns = NULL;

	if (!study->path_count)
		return;
	longer_ns = differences(study, call);
	cause->difference_ns = longer_ns[0];
	cause->most_path = descend(study, longer_ns);
	fill_in(study, call, cause->most_path, longer_ns[cause->most_path]);
	if (cause->difference_ns > 0)
		cause->kind = kind_of(study, call);
	if (cause->kind == STUDY_ONLY_NOW) {
		uint32_t first = outermost_new(study, cause->path);

		fill_in(study, call, first, longer_ns[first]);
	}
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The median duration of the calls kept by chance, or of all. *ret_count: how many. */
static double middle_duration(const struct study *study, bool only_by_chance,
			      size_t *ret_count)
{
	double *durations = xcalloc(study->call_count + 1, sizeof(*durations)), middle;
	size_t count = 0;

	for (size_t i = 0; i < study->call_count; i++)
		if (!only_by_chance || !study->calls[i].is_one_of_slowest)
			durations[count++] = study->calls[i].duration_ns;
	qsort(durations, count, sizeof(*durations), compare);
	middle = durations[count / 2];
	free(durations);
	*ret_count = count;
	return middle;
}

/* Programs have phases: calls kept by chance tell better than all calls how long one
 * takes while they are studied. This many must have been kept. */
#define CHANCES_LEAST 4

static double median_of(const struct study *study, double all_ns)
{
	size_t count;
	double middle = middle_duration(study, true, &count);

	if (count >= CHANCES_LEAST)
		return middle;
	return all_ns > 0 ? all_ns : middle_duration(study, false, &count);
}

static void sort_out(struct study *study)
{
	for (size_t i = 0; i < study->call_count; i++) {
		struct study_call *call = &study->calls[i];
		bool is_long =
			call->duration_ns > fmax(STUDY_SLOW_TIMES * study->median_ns,
						 study->median_ns + STUDY_SLOW_LEAST_NS);

		call->is_slow = is_long && call->is_one_of_slowest;
		call->is_usual = !is_long;
		study->slow_count += call->is_slow;
		study->usual_count += call->is_usual;
	}
}

static bool is_there(const struct study_numbers *part)
{
	return part->calls > 0 || part->alloc_count > 0 || part->blocked_ns > 0;
}

static void add_call(struct study *study, const struct study_call *call)
{
	for (uint32_t path = 0; path < call->part_count; path++) {
		struct study_path *to = &study->paths[path];

		if (!is_there(&call->parts[path]))
			continue;
		if (call->is_slow) {
			study_numbers_add(&to->slow, &call->parts[path], 1);
			to->slow_count++;
		} else {
			study_numbers_add(&to->usual, &call->parts[path],
					  1.0 / (double)study->usual_count);
			to->usual_count++;
		}
	}
}

static double positive(double value)
{
	return value > 0 ? value : 0;
}

/* Subtracts the other calls in the same span, which are assumed to be usual ones. */
static void take_off_beside(const struct study *study, struct study_call *call)
{
	for (uint32_t i = 0; i < study->path_count && call->beside_calls > 0; i++) {
		struct study_numbers *part = study_part(call, i);

		study_numbers_add(part, &study->paths[i].usual, -call->beside_calls);
		part->calls = positive(part->calls);
		part->self_ns = positive(part->self_ns);
		part->ready_ns = positive(part->ready_ns);
		part->blocked_ns = positive(part->blocked_ns);
		part->alloc_count = positive(part->alloc_count);
		part->alloc_bytes = positive(part->alloc_bytes);
	}
}

void study_judge(struct study *study, double median_ns)
{
	study->median_ns = median_of(study, median_ns);
	sort_out(study);
	for (size_t i = 0; i < study->call_count; i++)
		if (study->calls[i].is_usual)
			add_call(study, &study->calls[i]);
	for (size_t i = 0; i < study->call_count; i++) {
		if (!study->calls[i].is_slow)
			continue;
		take_off_beside(study, &study->calls[i]);
		add_call(study, &study->calls[i]);
		cause_find(study, &study->calls[i]);
	}
}
