/* SPDX-License-Identifier: MIT */
/* From stacks to a merged run. Must not recurse: stacks may be a million deep. */
#include "collector/imports/builder.h"

#include "collector/account/account.h"
#include "collector/locks/locks.h"
#include "collector/merge/slow/spans.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* No sum of a run is larger: 36 years, 1 EiB. */
#define SUM_MOST (1ll << 60)

/* One process and one lane, of which nothing is known. */
static void begin_run(struct ingest *run)
{
	run->run.directory_fd = -1;
	run->run.process_count = run->run.lane_count = 1;
	run->run.processes = xcalloc(1, sizeof(*run->run.processes));
	run->run.lanes = xcalloc(1, sizeof(*run->run.lanes));
	run->endings = xcalloc(1, sizeof(*run->endings));
	run->endings[0].parent = run->endings[0].next_image = ENDING_NONE;
	run->endings[0].is_complete = run->is_complete = 1;
	run->first_process = ENDING_NONE;
	run->ticks.ns_per_tick = 1;
	run->ticks.ticks_per_second = 1e9;
	run->run.page.clock_kind = SEGMENT_CLOCK_MONOTONIC;
	if (getrandom(&run->run.page.token, sizeof(run->run.page.token), 0) < 0)
		run->run.page.token = ticks_monotonic_ns();
}

void builder_begin(struct builder *builder)
{
	struct merge *merge = &builder->run.merge;
	struct merge_path root = {.parent = 0};

	begin_run(&builder->run);
	merge->run = &builder->run.run;
	merge->ticks = &builder->run.ticks;
	merge->is_imported = 1;
	merge->path_limit = MERGE_PATH_LIMIT;
	merge->peak_process = 1;
	merge->modules = xcalloc(1, sizeof(*merge->modules));
	merge->memory = xcalloc(1, sizeof(*merge->memory));
	merge->merged_sites = xcalloc(1, sizeof(*merge->merged_sites));
	merge->locks = locks_new();
	merge->spans = spans_new();
	identify_init(&merge->identify, "", NULL);
	quantities_clear(QUANTITY_OF_PATH, root.quantities);
	merge_add_path(merge, &root);
}

void builder_done(struct builder *builder)
{
	struct ingest *run = &builder->run;

	locks_free(run->merge.locks);
	spans_free(run->merge.spans);
	merge_done(&run->merge);
	free(run->endings);
	free(run->facts);
	read_run_close(&run->run);
	for (size_t i = 0; i < builder->modules.count; i++)
		free(builder->own_modules[i]);
	free(builder->own_modules);
	intern_free(&builder->keys);
	intern_free(&builder->modules);
	arena_free(&builder->texts);
	strbuf_free(&builder->key);
}

static const char *copy(struct builder *builder, const char *text)
{
	return text ? arena_copy(&builder->texts, text, strlen(text)) : NULL;
}

static uint32_t digit(char c)
{
	return c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
	       : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
	       : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
				      : 16;
}

/* Of one that is no hexadecimal number nothing is taken. */
static void read_build_id(struct segment_module *module, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	if (size % 2 || size / 2 > sizeof(module->build_id))
		return;
	for (size_t i = 0; i < size; i++)
		if (digit(text[i]) > 15)
			return;
	for (size_t i = 0; i < size / 2; i++)
		module->build_id[i] =
			(uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
	module->build_id_size = (uint32_t)(size / 2);
}

static uint32_t add_module(struct builder *builder, const struct builder_function *from)
{
	struct modules *modules = &builder->run.merge.identify.modules;
	struct segment_module *module;
	uint32_t number;
	bool is_new;

	if (!from->module || !*from->module)
		return MODULE_NONE;
	number = intern_text(&builder->modules, from->module, &is_new);
	if (!is_new)
		return number;
	module = xcalloc(1, sizeof(*module));
	snprintf(module->path, sizeof(module->path), "%s", from->module);
	read_build_id(module, from->build_id);
	builder->own_modules =
		array_room(builder->own_modules, number, sizeof(*builder->own_modules));
	builder->own_modules[number] = module;
	modules->all = array_room(modules->all, number, sizeof(*modules->all));
	modules->all[number].from = module;
	modules->count = number + 1;
	return number;
}

uint32_t builder_function(struct builder *builder, const struct builder_function *from)
{
	struct identify *identify = &builder->run.merge.identify;
	uint32_t number;
	bool is_new;

	strbuf_reset(&builder->key);
	strbuf_printf(&builder->key, "%s\n%s\n%s\n%s", from->name,
		      from->linkage_name ? from->linkage_name : "",
		      from->file ? from->file : "", from->module ? from->module : "");
	if (builder->keys.count == MERGE_PATH_LIMIT &&
	    intern_find(&builder->keys, strbuf_text(&builder->key)) == INTERN_NONE) {
		builder->is_over = true;
		return 0;
	}
	number = intern_text(&builder->keys, strbuf_text(&builder->key), &is_new);
	if (!is_new)
		return number;
	identify->functions =
		array_room(identify->functions, number, sizeof(*identify->functions));
	identify->functions[number] = (struct identify_function){
		.name = copy(builder, from->name),
		.linkage_name = copy(builder, from->linkage_name),
		.file = copy(builder, from->file),
		.line = from->line,
		.module = add_module(builder, from),
		.naming = from->is_address ? IDENTIFY_UNNAMED : IDENTIFY_EXACT,
	};
	identify->function_count = number + 1;
	return number;
}

uint32_t builder_path(struct builder *builder, uint32_t parent, uint32_t function)
{
	struct merge *merge = &builder->run.merge;

	/* a root has nothing above it, and there are no more of them than functions */
	if (parent && !merge_has_room(merge, parent, function, MERGE_FUNCTION)) {
		builder->folded_count++;
		return parent;
	}
	return merge_child_path(merge, parent, function, MERGE_FUNCTION);
}

static int64_t less(int64_t from, int64_t value)
{
	return value < from ? from - value : 0;
}

static void add_site(struct merge *merge, uint32_t path,
		     const int64_t values[BUILDER_VALUES], uint32_t line)
{
	struct merge_site *site;
	uint32_t number;
	bool is_new;

	if (!values[BUILDER_ALLOC_COUNT] && !values[BUILDER_ALLOC_BYTES] &&
	    !values[BUILDER_LIVE_COUNT] && !values[BUILDER_LIVE_BYTES] &&
	    !values[BUILDER_AT_PEAK_BYTES])
		return;
	number = map_number(&merge->site_map, path, line, 0, &is_new);
	if (is_new) {
		merge->sites = array_room(merge->sites, merge->site_count++,
					  sizeof(*merge->sites));
		site = &merge->sites[number];
		site->path = path;
		site->line = line;
		site->file = merge->identify.functions[merge->paths[path].function].file;
	}
	site = &merge->sites[number];
	quantity_add(&site->alloc_count, values[BUILDER_ALLOC_COUNT]);
	quantity_add(&site->alloc_bytes, values[BUILDER_ALLOC_BYTES]);
	quantity_add(&site->live_count, values[BUILDER_LIVE_COUNT]);
	quantity_add(&site->live_bytes, values[BUILDER_LIVE_BYTES]);
	quantity_add(&site->at_peak_bytes, values[BUILDER_AT_PEAK_BYTES]);
}

void builder_add(struct builder *builder, uint32_t path,
		 const int64_t values[BUILDER_VALUES], uint32_t line,
		 enum segment_recording recording)
{
	struct merge_path *row = &builder->run.merge.paths[path];
	int64_t waited_ns = values[BUILDER_READY];

	quantity_add(&waited_ns, values[BUILDER_BLOCKED]);
	for (size_t i = 0; i < BUILDER_VALUES; i++)
		quantity_add(&builder->sums[i], values[i]);
	builder->stack_count++;
	quantity_add(&row->calls, values[BUILDER_CALLS]);
	quantity_add(&row->self_ready_ns, values[BUILDER_READY]);
	quantity_add(&row->self_blocked_ns, values[BUILDER_BLOCKED]);
	quantity_add(&row->self_cpu_ns, values[BUILDER_WALL]
						? less(values[BUILDER_WALL], waited_ns)
						: values[BUILDER_CPU]);
	quantity_add(&row->alloc_count, values[BUILDER_ALLOC_COUNT]);
	quantity_add(&row->alloc_bytes, values[BUILDER_ALLOC_BYTES]);
	quantity_add(&row->live_bytes, values[BUILDER_LIVE_BYTES]);
	quantity_add(&row->at_peak_bytes, values[BUILDER_AT_PEAK_BYTES]);
	if (recording > row->recording)
		row->recording = recording;
	add_site(&builder->run.merge, path, values, line);
}

bool builder_is_sampled(const struct builder *builder)
{
	return builder->sums[BUILDER_CALLS] == 0;
}

/* What a sample stands for, where samples were counted beside time. */
static double sample_ns(const struct builder *builder, int64_t self_ns)
{
	if (builder->sample_ns)
		return (double)builder->sample_ns;
	return builder->sums[BUILDER_SAMPLES] > 0
		       ? (double)self_ns / (double)builder->sums[BUILDER_SAMPLES]
		       : 0;
}

/* Which function a sample hits is chance: of n samples sqrt(n) more or less might as well
 * have hit it. */
static void sum_paths(struct builder *builder)
{
	struct merge *merge = &builder->run.merge;
	bool is_sampled = builder_is_sampled(builder);
	int64_t self_ns = 0;
	double each_ns;

	for (size_t i = merge->path_count; i-- > 1;) {
		struct merge_path *row = &merge->paths[i];
		struct merge_path *parent = &merge->paths[row->parent];

		row->self_ns = row->self_cpu_ns;
		quantity_add(&row->self_ns, row->self_ready_ns);
		quantity_add(&row->self_ns, row->self_blocked_ns);
		row->raw_self_ns = row->self_ns;
		quantity_add(&self_ns, row->self_ns);
		quantity_add(&row->total_ns, row->self_ns);
		quantity_add(&row->cpu_ns, row->self_cpu_ns);
		quantity_add(&row->ready_ns, row->self_ready_ns);
		quantity_add(&row->blocked_ns, row->self_blocked_ns);
		row->raw_total_ns = row->total_ns;
		quantity_add(&parent->total_ns, row->total_ns);
		quantity_add(&parent->cpu_ns, row->cpu_ns);
		quantity_add(&parent->ready_ns, row->ready_ns);
		quantity_add(&parent->blocked_ns, row->blocked_ns);
		if (is_sampled)
			row->recording = MERGE_SAMPLED;
	}
	each_ns = is_sampled ? sample_ns(builder, self_ns) : 0;
	for (size_t i = 1; i < merge->path_count; i++)
		merge->paths[i].self_error.variance =
			(float)((double)merge->paths[i].self_ns * each_ns);
}

/* What is freed of a site is what it has no longer; where allocations were not told, what
 * is live was allocated at least. */
static void sum_memory(struct builder *builder)
{
	struct merge *merge = &builder->run.merge;
	struct read_memory *memory = &merge->memory[0];
	const int64_t *sums = builder->sums;

	for (size_t i = 0; i < merge->site_count; i++) {
		struct merge_site *site = &merge->sites[i];

		site->free_count = less(site->alloc_count, site->live_count);
		site->free_bytes = less(site->alloc_bytes, site->live_bytes);
		site->largest_bytes = 0;
	}
	memory->alloc_count = (uint64_t)sums[BUILDER_ALLOC_COUNT];
	memory->alloc_bytes = (uint64_t)sums[BUILDER_ALLOC_BYTES];
	memory->live_bytes = (uint64_t)sums[BUILDER_LIVE_BYTES];
	memory->free_count =
		(uint64_t)less(sums[BUILDER_ALLOC_COUNT], sums[BUILDER_LIVE_COUNT]);
	memory->free_bytes =
		(uint64_t)less(sums[BUILDER_ALLOC_BYTES], sums[BUILDER_LIVE_BYTES]);
	if (!sums[BUILDER_AT_PEAK_BYTES])
		return;
	merge->peak_process = 0;
	builder->run.run.processes[0].peak_bytes = (uint64_t)sums[BUILDER_AT_PEAK_BYTES];
}

int builder_finish(struct builder *builder, uint64_t started_ns, uint64_t duration_ns,
		   const char *label, const char *executable, char *error,
		   size_t error_size)
{
	struct ingest *run = &builder->run;

	if (builder->is_over) {
		snprintf(error, error_size,
			 "has more than two million functions, which is the limit");
		return -EBADMSG;
	}
	for (size_t i = 0; i < BUILDER_VALUES; i++)
		if (builder->sums[i] > SUM_MOST) {
			snprintf(error, error_size,
				 "has numbers that add up to more than can be");
			return -EBADMSG;
		}
	run->run.page.start_realtime_ns = started_ns;
	snprintf(run->run.page.label, sizeof(run->run.page.label), "%s", label);
	run->run.processes[0].executable = xstrdup(executable ? executable : "");
	run->run.processes[0].command = xstrdup("");
	run->end_ticks = run->endings[0].end_ticks = duration_ns;
	sum_paths(builder);
	sum_memory(builder);
	account_functions(&run->merge);
	return 0;
}

void builder_fact(struct builder *builder, const char *name, uint64_t value,
		  const char *text)
{
	struct ingest *run = &builder->run;
	struct ingest_fact *fact;

	run->facts = array_room(run->facts, run->fact_count, sizeof(*run->facts));
	fact = &run->facts[run->fact_count++];
	fact->name = name;
	fact->value = value;
	snprintf(fact->text, sizeof(fact->text), "%s", text ? text : "");
}
