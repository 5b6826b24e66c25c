/* SPDX-License-Identifier: MIT */
/* Queries on results, and freeing them. */
#include "collector/merge/results.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/identify.h"
#include "common/base/xalloc.h"
#include "common/quantities.h"

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
	auto_free double *below_ns = xcalloc(from->part_count + 1u, sizeof(*below_ns));
	auto_free double *hooks_ns = xcalloc(from->part_count + 1u, sizeof(*hooks_ns));

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
}

/* Adds targets and rows, each found by its key. */

uint32_t transfers_target(struct transfers *transfers, uint32_t kind, const char *name)
{
	uint32_t text, number;
	bool is_new;

	if (!transfers->target_count)
		ARRAY_ADD(transfers->targets, transfers->target_count) =
			(struct transfers_target){SEGMENT_TARGET_UNKNOWN, "[not known]"};
	if (!kind)
		return 0;
	text = intern_text(&transfers->names, name, NULL);
	number = map_number(&transfers->target_map, text, kind, 0, &is_new);
	if (is_new)
		ARRAY_ADD(transfers->targets, transfers->target_count) =
			(struct transfers_target){kind,
						  intern_name(&transfers->names, text)};
	return number + 1;
}

static struct transfers_row *row_at(struct transfers *transfers, uint32_t process,
				    uint32_t path, uint32_t target, uint32_t is_source)
{
	uint64_t both = (uint64_t)target << 1 | (is_source != 0);
	bool is_new;
	uint32_t number = map_number(&transfers->row_map, process, path, both, &is_new);

	if (is_new)
		ARRAY_ADD(transfers->rows, transfers->row_count) =
			(struct transfers_row){.process = process,
					       .path = path,
					       .target = target,
					       .is_source = is_source != 0};
	return &transfers->rows[number];
}

void transfers_add(struct transfers *transfers, uint32_t process, uint32_t path,
		   uint32_t target, const struct segment_transfer *from, int64_t total_ns)
{
	struct transfers_row *row =
		row_at(transfers, process, path, target, from->is_source);

	count_add(&row->call_count, from->call_count);
	count_add(&row->bytes, from->bytes);
	count_add(&row->small_count, from->small_count);
	count_add(&row->sequential_count, from->sequential_count);
	count_add(&row->failed_count, from->failed_count);
	quantity_add(&row->total_ns, total_ns);
	count_raise(&row->largest_bytes, from->largest_bytes);
}

void transfers_see(struct transfers *transfers, uint32_t process, uint64_t read_bytes,
		   uint64_t write_bytes)
{
	while (transfers->seen_count <= process)
		ARRAY_ADD(transfers->seen, transfers->seen_count) =
			(struct transfers_seen){0, 0};
	count_add(&transfers->seen[process].read_bytes, read_bytes);
	count_add(&transfers->seen[process].write_bytes, write_bytes);
}

void transfers_lose(struct transfers *transfers, uint64_t count, uint64_t bytes)
{
	count_add(&transfers->lost_count, count);
	count_add(&transfers->lost_bytes, bytes);
}

void transfers_done(struct transfers *transfers)
{
	free(transfers->targets);
	free(transfers->rows);
	free(transfers->seen);
	intern_free(&transfers->names);
	map_done(&transfers->target_map);
	map_done(&transfers->row_map);
	*transfers = (struct transfers){.row_count = 0};
}

/* Rows of samples, lane by lane. */

const struct sampled_row *sampled_of_lane(const struct sampled *sampled, uint32_t lane,
					  size_t *ret_count)
{
	size_t low = COUNT_BEFORE(sampled->row_count, i, sampled->rows[i].lane < lane),
	       first;

	first = low;
	while (low < sampled->row_count && sampled->rows[low].lane == lane)
		low++;
	*ret_count = low - first;
	return sampled->rows + first;
}

static int by_lane(const void *key, const void *member)
{
	uint32_t lane = *(const uint32_t *)key;
	uint32_t other = ((const struct sampled_lane *)member)->lane;

	return ORDER(lane, other);
}

const struct sampled_lane *sampled_header(const struct sampled *sampled, uint32_t lane)
{
	if (!sampled->lane_count)
		return NULL;
	return bsearch(&lane, sampled->lanes, sampled->lane_count,
		       sizeof(*sampled->lanes), by_lane);
}

uint32_t sampled_caller(struct sampled *sampled, uint32_t place, uint32_t caller)
{
	bool is_new;
	uint32_t number = 1 + map_number(&sampled->caller_map, place, caller, 0, &is_new);

	if (!is_new)
		return number;
	if (!sampled->caller_count) /* index 0 is nobody */
		ARRAY_ADD(sampled->callers, sampled->caller_count) =
			(struct sampled_caller){.place = 0};
	ARRAY_ADD(sampled->callers, sampled->caller_count) =
		(struct sampled_caller){.place = place, .caller = caller};
	return number;
}

void sampled_done(struct sampled *sampled)
{
	free(sampled->lanes);
	free(sampled->rows);
	free(sampled->callers);
	map_done(&sampled->caller_map);
	*sampled = (struct sampled){.row_count = 0};
}

void sampled_name_row(struct sampled_row *row, struct identify *identify,
		      struct module_list *modules, uint64_t key)
{
	uint32_t count, first = identify_places(identify, modules, key, &count);

	row->place = first;
	row->function = identify->places[first].function;
	row->outer_function = identify->places[first + count - 1].function;
	row->line = identify->places[first].line;
	row->file = identify->places[first].file;
}

static int by_place(const void *a, const void *b)
{
	const struct sampled_row *left = a, *right = b;

	return ORDER_BY_3(left, right, lane, path, kind)
		       ?: ORDER_BY_4(left, right, function, outer_function, file, line)
		       ?: ORDER_BY(left, right, caller);
}

void sampled_forget_callers(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->row_count; i++)
		sampled->rows[i].caller = 0;
	sampled_join(sampled, 0);
}

void sampled_join(struct sampled *sampled, size_t first)
{
	size_t kept = first;

	if (sampled->row_count - first < 2)
		return;
	qsort(sampled->rows + first, sampled->row_count - first, sizeof(*sampled->rows),
	      by_place);
	for (size_t i = first + 1; i < sampled->row_count; i++) {
		struct sampled_row *last = &sampled->rows[kept];

		if (by_place(last, &sampled->rows[i]) != 0) {
			sampled->rows[++kept] = sampled->rows[i];
			continue;
		}
		count_add(&last->count, sampled->rows[i].count);
		count_add(&last->cpu_ns, sampled->rows[i].cpu_ns);
	}
	sampled->row_count = kept + 1;
}
