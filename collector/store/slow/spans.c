/* SPDX-License-Identifier: MIT */
/* The rows of a run's spans. */
#include <sqlite3.h>
#include <stdlib.h>

#include "collector/merge/slow/spans.h"
#include "collector/store/ids.h"
#include "collector/store/row.h"
#include "common/base/xalloc.h"

/* The ids of threads, as insert_threads() numbers them. */
struct thread_ids {
	int64_t *all;  /* -1: it has no row */
	size_t *first; /* of each process */
};

static void number_threads(struct thread_ids *ret, const struct ingest *ingest,
			   const struct store_ids *ids)
{
	const struct read_run *run = &ingest->run;
	int64_t next = ids->thread;
	size_t count = 0;

	ret->first = xcalloc(run->process_count + 1, sizeof(*ret->first));
	for (size_t i = 0; i < run->process_count; i++) {
		ret->first[i] = count;
		count += run->processes[i].thread_count;
	}
	ret->all = xcalloc(count + 1, sizeof(*ret->all));
	for (size_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];
		int64_t *to = &ret->all[ret->first[i]];

		for (uint32_t at = 0; at < process->thread_count; at++) {
			uint32_t slot = process->threads[at].lane_slot;
			int has_row = store_find_lane(run, process, slot) >= 0;

			to[at] = has_row ? next++ : -1;
		}
	}
}

/* cpu_ns, ready_ns and blocked_ns of the call's own time. */
static void bind_split(struct row *row, const struct merge_span *span, int64_t call_ns)
{
	int64_t blocked_ns = quantity_of_count(span->blocked_ns);
	int64_t ready_ns = quantity_of_count(span->ready_ns);

	if (!span->is_split) {
		for (int i = 0; i < 3; i++)
			row_null(row);
		return;
	}
	if (blocked_ns > call_ns)
		blocked_ns = call_ns;
	if (ready_ns > call_ns - blocked_ns)
		ready_ns = call_ns - blocked_ns;
	row_int(row, call_ns - ready_ns - blocked_ns);
	row_int(row, ready_ns);
	row_int(row, blocked_ns);
}

static void span_row(struct row *row, const struct ingest *ingest,
		     const struct store_ids *ids, const struct merge_span *span,
		     const struct thread_ids *threads)
{
	const struct ticks *ticks = &ingest->ticks;
	int64_t call_ns = ticks_duration_ns(ticks, (double)span->ticks);
	uint64_t length = span->end_ticks - span->begin_ticks;

	row_int(row, ids->run);
	row_int(row, ids->process + span->process);
	row_int(row, store_lane_id(ids, ingest, span->lane));
	row_known(row,
		  span->thread == SPANS_NO_THREAD
			  ? -1
			  : threads->all[threads->first[span->process] + span->thread]);
	row_int(row, span->kind);
	row_text(row, span->kind == SEGMENT_SPAN_STEP
			      ? ingest->merge.spans->names[span->name]
			      : NULL);
	if (span->path)
		row_int(row, store_path_id(ids, span->path));
	else
		row_null(row);
	row_int(row, ticks_since_start_ns(ticks, span->begin_ticks));
	row_int(row, ticks_duration_ns(ticks, (double)length));
	row_int(row, call_ns);
	bind_split(row, span, call_ns);
	row_next(row);
}

int store_span_rows(struct store *store, const struct ingest *ingest,
		    const struct store_ids *ids)
{
	const struct spans *spans = ingest->merge.spans;
	struct thread_ids threads;
	struct row row;

	number_threads(&threads, ingest, ids);
	row_open(&row, store, "span",
		 "run_id, process_id, lane_id, thread_id, kind, name, path_id, "
		 "started_ns, duration_ns, call_ns, cpu_ns, ready_ns, blocked_ns");
	for (size_t i = 0; i < spans->count; i++)
		span_row(&row, ingest, ids, &spans->all[i], &threads);
	free(threads.all);
	free(threads.first);
	return row_close(&row);
}
