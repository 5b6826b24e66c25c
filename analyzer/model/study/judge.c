/* SPDX-License-Identifier: MIT */
/* Which calls are slow, and what all of them did together. */
#include "analyzer/model/study/judge.h"

#include "analyzer/model/study/cause.h"
#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Of those that were kept by chance, or of all; *ret_count: how many these are. */
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

/* A program has phases: what calls take while they are studied is better known from those
 * that were kept by chance than from all that there were. */
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

/* Without the calls beside it, which are believed to have been usual ones. */
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
