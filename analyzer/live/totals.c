/* SPDX-License-Identifier: MIT */
/* Sums over threads, functions and sites. */
#include "analyzer/live/totals.h"

static void add_threads(struct totals *totals, const struct live *live)
{
	const struct ledger *ledger = &live->follow->threads;
	double span_ns = (double)ledger_span_ns(ledger, live->since);

	for (size_t i = 0; i < ledger->count; i++) {
		totals->thread_count += live->follow->thread_rows[i].is_alive != 0;
		totals->computing +=
			(double)ledger_get(ledger, i, FOLLOW_THREAD_CPU_NS, live->since);
		totals->ready += (double)ledger_get(ledger, i, FOLLOW_THREAD_READY_NS,
						    live->since);
	}
	totals->computing = span_ns > 0 ? totals->computing / span_ns : 0;
	totals->ready = span_ns > 0 ? totals->ready / span_ns : 0;
}

/* Calls of libc are no calls of the program's functions. */
static void add_calls(struct totals *totals, const struct live *live)
{
	const struct ledger *functions = &live->follow->functions;
	const struct follow_path *rows = live->follow->path_rows;
	struct ledger_column calls =
		ledger_column(&live->follow->paths, FOLLOW_CALLS, live->since);
	int64_t sum = 0;

	for (size_t i = 0; i < live->follow->paths.count; i++)
		if (rows[i].kind == MERGE_FUNCTION)
			ledger_sum(&sum, ledger_column_get(&calls, i));
	totals->calls_per_s += (double)sum;
	for (size_t i = 0; i < functions->count; i++)
		totals->calls_per_s += (double)ledger_get(
			functions, i, FOLLOW_COUNTED_CALLS, live->since);
}

void totals_find(struct totals *ret, const struct live *live)
{
	const struct ledger *sites = &live->follow->sites;

	*ret = (struct totals){
		.span_s =
			(double)ledger_span_ns(&live->follow->paths, live->since) / 1e9};
	add_threads(ret, live);
	add_calls(ret, live);
	for (size_t i = 0; i < sites->count; i++) {
		ret->allocs_per_s +=
			(double)ledger_get(sites, i, FOLLOW_SITE_ALLOCS, live->since);
		ret->alloc_bytes_per_s +=
			(double)ledger_get(sites, i, FOLLOW_SITE_BYTES, live->since);
	}
	if (!(ret->span_s > 0))
		return;
	ret->calls_per_s /= ret->span_s;
	ret->allocs_per_s /= ret->span_s;
	ret->alloc_bytes_per_s /= ret->span_s;
}
