/* SPDX-License-Identifier: MIT */
/* The rows of run and trust, which make a run visible, and the order of all rows. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "collector/store/row.h"
#include "common/base/xalloc.h"

/* A moment as ISO 8601 in UTC with milliseconds. */
static void store_utc(uint64_t realtime_ns, char *text, size_t size)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	char date[64];
	struct tm utc;

	if (!gmtime_r(&seconds, &utc) ||
	    !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc))
		date[0] = 0;
	snprintf(text, size, "%s.%03uZ", date,
		 (unsigned)(realtime_ns / 1000000u % 1000u));
}

/* The model name in /proc/cpuinfo; empty when there is none. */
static void store_cpu_model(char *text, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];

	*text = 0;
	while (file && !*text && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (!value || strncmp(line, "model name", 10) != 0)
			continue;
		value[strcspn(value, "\n")] = 0;
		snprintf(text, size, "%s", value + 1 + (value[1] == ' '));
	}
	if (file)
		fclose(file);
}

struct machine {
	char model[256], kernel[256];
};

/* Stays empty when the run was collected later, perhaps on another machine. */
static void look_at_machine(const struct ingest *ingest, struct machine *ret)
{
	struct utsname name;

	*ret = (struct machine){.model = ""};
	if (!ingest->ticks.same_boot)
		return;
	store_cpu_model(ret->model, sizeof(ret->model));
	if (uname(&name) == 0)
		snprintf(ret->kernel, sizeof(ret->kernel), "%.60s %.120s", name.sysname,
			 name.release);
}

static struct read_memory sum_memory(const struct ingest *ingest)
{
	struct read_memory sum = {0};

	for (size_t i = 0; i < ingest->run.process_count; i++) {
		const struct read_memory *memory = &ingest->merge.memory[i];

		count_add(&sum.alloc_count, memory->alloc_count);
		count_add(&sum.alloc_bytes, memory->alloc_bytes);
		count_add(&sum.free_count, memory->free_count);
		count_add(&sum.free_bytes, memory->free_bytes);
		count_add(&sum.live_bytes, memory->live_bytes);
	}
	return sum;
}

/* Half of a 95 % interval, in standard deviations. */
#define HALF_WIDTH_95 1.96

static void add_run(struct row *row, const void *element)
{
	const struct ingest *ingest = row->ingest;
	const struct read_run *run = &ingest->run;
	const struct segment_run *page = &run->page;
	const struct hook_cost *cost = &ingest->merge.cost;
	struct read_memory sum = sum_memory(ingest);
	double budget = page->overhead_percent;
	size_t peak = ingest->merge.peak_process;
	int has_peak = peak < run->process_count;
	char token[17], started[96] = "";
	auto_free char *command = NULL;
	struct machine machine;

	(void)element;
	look_at_machine(ingest, &machine);
	snprintf(token, sizeof(token), "%016" PRIx64, page->token);
	if (page->start_realtime_ns)
		store_utc(page->start_realtime_ns, started, sizeof(started));
	if (ingest->first_process != ENDING_NONE)
		command = store_command(&run->processes[ingest->first_process]);
	row_add(row, row->ids->run, token, value_filled(page->label), VALUE_NONE,
		value_filled(command), value_filled(page->cwd), value_filled(page->host),
		page->cpu_count, value_filled(machine.model),
		value_filled(machine.kernel), value_filled(started),
		row_time_ns(row, ingest->end_ticks), value_exit_code(&ingest->status),
		value_exit_signal(&ingest->status), ingest->is_complete,
		value_filled(page->level), value_filled(page->shim_version),
		page->clock_kind == SEGMENT_CLOCK_TSC ? "tsc" : "monotonic",
		ingest->ticks.ticks_per_second, cost->inner_ns, cost->outer_ns,
		HALF_WIDTH_95 * cost->hook_error_ns, HALF_WIDTH_95 * cost->split_error,
		cost->counted_ns, HALF_WIDTH_95 * cost->counted_error_ns, cost->alloc_ns,
		HALF_WIDTH_95 * cost->alloc_error_ns,
		budget > 0 && budget <= 100 ? value_real(budget) : VALUE_NONE,
		sum.alloc_count, sum.alloc_bytes, sum.free_count, sum.free_bytes,
		has_peak ? run->processes[peak].peak_bytes : 0, sum.live_bytes,
		value_if(has_peak, row->ids->process + (int64_t)peak),
		value_filled(page->job.name), value_rank(&page->job),
		value_if(page->job.name[0] && page->job.rank_count,
			 page->job.rank_count));
}

static void add_fact(struct row *row, const void *element)
{
	const struct ingest_fact *fact = element;

	row_add(row, row->ids->run, VALUE_NONE, fact->name, fact->value,
		value_filled(fact->text));
}

const struct row_table store_run_tables[] = {
	{"trust", add_fact, ROW_LIST(facts, fact_count)},
	{"run", add_run},
	{NULL},
};

/* The run's own row, which makes it visible, comes last. */
static const struct row_table *const parts[] = {
	store_process_tables, store_tree_tables, store_kept_tables,
	store_mark_tables,    store_run_tables,
};

static int store_tables(struct store *store)
{
	int code = SQLITE_OK;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (const struct row_table *table = parts[i];
		     table->name && code == SQLITE_OK; table++)
			code = row_fill(store, table);
	return code;
}

int store_all_rows(struct store *store)
{
	int code = store_prepare(store);

	if (code != SQLITE_OK)
		return code;
	store_number_threads(store);
	store_number_functions(store);
	code = store_tables(store);
	store_forget_numbers(store);
	return code == SQLITE_OK ? store_unclaim(store) : code;
}
