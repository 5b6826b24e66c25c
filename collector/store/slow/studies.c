/* SPDX-License-Identifier: MIT */
/* The rows of studied functions: study, study_case, study_part. */
#include <sqlite3.h>
#include <stdlib.h>

#include "collector/store/ids.h"
#include "collector/store/row.h"
#include "common/base/xalloc.h"

static int64_t ns(const struct ingest *ingest, uint64_t ticks)
{
	return ticks_duration_ns(&ingest->ticks, (double)ticks);
}

/* 0: of a step that no call held. */
static int64_t path_id(const struct store_ids *ids, uint32_t path)
{
	return path ? store_path_id(ids, path) : 0;
}

static int insert_studies(struct store *store, const struct ingest *ingest,
			  const struct store_ids *ids)
{
	const struct studies *studies = &ingest->merge.studies;
	struct row row;

	row_open(&row, store, "study",
		 "run_id, study_id, path_id, step, reason, started_ns, calls, total_ns, "
		 "alone_calls, missed_calls, ready_calls, ready_ns, folded_paths, "
		 "cost_ns");
	for (size_t i = 0; i < studies->count; i++) {
		const struct studies_study *study = &studies->all[i];

		row_int(&row, ids->run);
		row_int(&row, (int64_t)i + 1);
		row_int(&row, path_id(ids, study->path));
		row_filled_text(&row, study->step);
		row_int(&row, study->reason);
		row_int(&row, ticks_since_start_ns(&ingest->ticks, study->begin_ticks));
		row_count(&row, study->call_count);
		row_int(&row, ns(ingest, study->ticks));
		row_count(&row, study->alone_count);
		row_count(&row, study->missed_count);
		row_count(&row, study->ready_count);
		row_int(&row, ns(ingest, study->ready_ticks));
		row_count(&row, study->folded_count);
		row_int(&row, ns(ingest, study->cost_ticks));
		row_next(&row);
	}
	return row_close(&row);
}

static void case_row(struct row *row, const struct ingest *ingest,
		     const struct store_ids *ids, const struct studies_case *from)
{
	row_int(row, ids->process + ingest->run.lanes[from->lane].process);
	row_int(row, store_lane_id(ids, ingest, from->lane));
	row_int(row, path_id(ids, from->path));
	row_int(row, from->is_slow);
	row_count(row, from->number);
	row_int(row, ticks_since_start_ns(&ingest->ticks, from->begin_ticks));
	row_int(row, merge_call_ns(&ingest->merge, (double)from->ticks));
	row_int(row, ns(ingest, from->ticks - from->own_ticks));
	row_count(row, from->beside_call_count);
	row_int(row, ns(ingest, from->beside_ticks));
	row_count(row, from->folded_count);
	row_next(row);
}

static int insert_cases(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	const struct studies *studies = &ingest->merge.studies;
	struct row row;

	row_open(&row, store, "study_case",
		 "run_id, study_id, case_id, process_id, lane_id, path_id, is_slow, "
		 "number, started_ns, duration_ns, ready_ns, beside_calls, beside_ns, "
		 "folded_parts");
	for (size_t i = 0; i < studies->count; i++) {
		for (size_t j = 0; j < studies->all[i].case_count; j++) {
			row_int(&row, ids->run);
			row_int(&row, (int64_t)i + 1);
			row_int(&row, (int64_t)j + 1);
			case_row(&row, ingest, ids, &studies->all[i].cases[j]);
		}
	}
	return row_close(&row);
}

static void part_row(struct row *row, const struct store_ids *ids,
		     const struct studies_part *part, double total_ns, double self_ns)
{
	row_int(row, path_id(ids, part->path));
	row_int(row, part->is_first);
	row_count(row, part->call_count);
	row_int(row, (int64_t)total_ns);
	row_int(row, (int64_t)self_ns);
	row_count(row, part->alloc_count);
	row_count(row, part->alloc_bytes);
	row_count(row, part->ready_ns);
	row_count(row, part->blocked_ns);
	row_next(row);
}

/* Of a damaged recording they may be anything. */
#define NS_MOST 9e18

static double limited(double value)
{
	return value < NS_MOST ? value : NS_MOST;
}

static void case_parts(struct row *row, const struct ingest *ingest,
		       const struct store_ids *ids, size_t study, size_t number)
{
	const struct studies_case *from = &ingest->merge.studies.all[study].cases[number];
	uint32_t process = ingest->run.lanes[from->lane].process;
	const struct hook_cost *hooks = &ingest->merge.process_cost[process];
	struct studies_cost cost = {ingest->ticks.ns_per_tick, hooks->inner_ns,
				    hooks->outer_ns, hooks->alloc_ns};
	double *total_ns = xcalloc(from->part_count + 1u, sizeof(*total_ns));
	double *self_ns = xcalloc(from->part_count + 1u, sizeof(*self_ns));

	studies_times(from, &cost, total_ns, self_ns);
	for (uint32_t i = 0; i < from->part_count; i++) {
		row_int(row, ids->run);
		row_int(row, (int64_t)study + 1);
		row_int(row, (int64_t)number + 1);
		part_row(row, ids, &from->parts[i], limited(total_ns[i]),
			 limited(self_ns[i]));
	}
	free(total_ns);
	free(self_ns);
}

static int insert_parts(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	const struct studies *studies = &ingest->merge.studies;
	struct row row;

	row_open(&row, store, "study_part",
		 "run_id, study_id, case_id, path_id, is_first, calls, total_ns, "
		 "self_ns, alloc_count, alloc_bytes, ready_ns, blocked_ns");
	for (size_t i = 0; i < studies->count; i++)
		for (size_t j = 0; j < studies->all[i].case_count; j++)
			case_parts(&row, ingest, ids, i, j);
	return row_close(&row);
}

int store_study_rows(struct store *store, const struct ingest *ingest,
		     const struct store_ids *ids)
{
	int code = insert_studies(store, ingest, ids);

	if (code == SQLITE_OK)
		code = insert_cases(store, ingest, ids);
	return code == SQLITE_OK ? insert_parts(store, ingest, ids) : code;
}
