/* SPDX-License-Identifier: MIT */
/* Queries on results, and freeing them. */
#include "collector/merge/results.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

void locks_done(struct locks *locks)
{
	for (size_t i = 0; i < locks->count; i++) {
		histogram_done(&locks->all[i].waits);
		free(locks->all[i].name);
	}
	free(locks->all);
	free(locks->waits);
	free(locks->places);
	free(locks->stalls.all);
	map_done(&locks->map);
}

void marks_done(struct marks *marks)
{
	for (size_t i = 0; i < marks->count; i++) {
		free(marks->all[i]->spans);
		free(marks->all[i]->latest);
		free(marks->all[i]->waits);
		free(marks->all[i]);
	}
	free(marks->all);
	free(marks->waits);
	map_done(&marks->map);
	intern_free(&marks->names);
}

void spans_done(struct spans *spans)
{
	free(spans->all);
	intern_free(&spans->names);
}

void studies_done(struct studies *studies)
{
	for (size_t i = 0; i < studies->count; i++) {
		for (size_t j = 0; j < studies->all[i].case_count; j++)
			free(studies->all[i].cases[j].parts);
		free(studies->all[i].cases);
	}
	free(studies->all);
}

/* The value in the middle of a bucket. */
static double bucket_value(uint32_t bucket)
{
	uint32_t place = bucket > SEGMENT_SERIES_SIDE ? bucket - SEGMENT_SERIES_SIDE - 1
						      : SEGMENT_SERIES_SIDE - 1 - bucket;
	double value;

	if (bucket == SEGMENT_SERIES_SIDE)
		return 0;
	value = ldexp(8.5 + place % 8,
		      (int)(place / 8) + SEGMENT_SERIES_LOWEST_EXPONENT - 3);
	return bucket > SEGMENT_SERIES_SIDE ? value : -value;
}

double marks_percentile(const struct marks_series *series, double fraction)
{
	double count = 0, seen = 0, value = 0;
	uint32_t bucket = 0;

	for (uint32_t i = 0; i < SEGMENT_SERIES_BUCKETS; i++)
		count += (double)series->histogram[i];
	for (; bucket < SEGMENT_SERIES_BUCKETS; bucket++) {
		seen += (double)series->histogram[bucket];
		if (seen > 0 && seen >= fraction * count)
			break;
	}
	if (bucket < SEGMENT_SERIES_BUCKETS)
		value = bucket_value(bucket);
	if (series->lowest_count && value < series->lowest[0].mark.value)
		value = series->lowest[0].mark.value;
	if (series->highest_count && value > series->highest[0].mark.value)
		value = series->highest[0].mark.value;
	return value;
}

static double positive(double value)
{
	return value > 0 ? value : 0;
}

/* A parent precedes its children, so this goes backwards: each part hands what lies at
 * and below it to its parent. */
void studies_times(const struct studies_case *from, const struct studies_cost *cost,
		   double *ret_total_ns, double *ret_self_ns)
{
	double *below_ns = xcalloc(from->part_count + 1u, sizeof(*below_ns));
	double *hooks_ns = xcalloc(from->part_count + 1u, sizeof(*hooks_ns));

	for (uint32_t i = from->part_count; i-- > 0;) {
		const struct studies_part *part = &from->parts[i];
		double calls = (double)part->call_count, raw_ns, inside_ns;

		inside_ns = hooks_ns[i] + (double)part->alloc_count * cost->alloc_ns +
			    calls * cost->inner_ns;
		raw_ns = (double)part->ticks * cost->ns_per_tick;
		ret_total_ns[i] =
			part->call_count ? positive(raw_ns - inside_ns) : below_ns[i];
		ret_self_ns[i] = positive(ret_total_ns[i] - below_ns[i]);
		if (part->parent >= i)
			continue; /* STUDIES_NONE, too */
		below_ns[part->parent] += ret_total_ns[i];
		hooks_ns[part->parent] += inside_ns + calls * cost->outer_ns;
	}
	free(below_ns);
	free(hooks_ns);
}
