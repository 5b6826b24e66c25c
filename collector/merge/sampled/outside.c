/* SPDX-License-Identifier: MIT */
/*
 * The book's modules are those of a process that has them all at the same place: an
 * address is told by its module's number, which keys have room for.
 */
#include "collector/merge/sampled/outside.h"

#include <stdlib.h>
#include <string.h>

#include "collector/identify/identify.h"
#include "collector/merge/sampled/join.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"

_Static_assert(CPU_BOOK_MODULE_LIMIT < SEGMENT_KEY_MODULE_MASK, "a key has their number");

/* Of the instruction, looked for as those of lanes are (add.c). */
static uint64_t key_of(const struct cpu_row *row)
{
	return ((row->address + 1) & SEGMENT_KEY_ADDRESS_MASK) |
	       (uint64_t)row->module << SEGMENT_KEY_MODULE_SHIFT |
	       SEGMENT_KEY_RETURN_ADDRESS;
}

/* The recorder takes part in allocations, and in the calls that it looks at. */
static int is_recorder(const struct segment_module *module)
{
	const char *slash = strrchr(module->path, '/');

	return strcmp(slash ? slash + 1 : module->path, "libprofshim.so") == 0;
}

static void name_row(struct merge *merge, struct module_list *modules,
		     const struct cpu_row *from, struct sampled_row *row)
{
	if (from->module == CPU_BOOK_NO_MODULE)
		return;
	if (is_recorder(modules->process->modules[from->module - 1].file)) {
		row->kind = SAMPLED_HOOKS;
		merge_add(&merge->sampled.hook_ns, from->weight_ns);
		return;
	}
	row->kind = SAMPLED_CODE;
	sampled_name_row(row, &merge->identify, modules, key_of(from));
}

static void wish_row(struct merge *merge, struct module_list *modules,
		     const struct cpu_row *from)
{
	if (from->module != CPU_BOOK_NO_MODULE &&
	    !is_recorder(modules->process->modules[from->module - 1].file))
		identify_wish(&merge->identify, modules, key_of(from));
}

static void add_row(struct merge *merge, struct module_list *modules,
		    const struct cpu_row *from)
{
	struct sampled *sampled = &merge->sampled;
	struct sampled_row row = {.lane = SAMPLED_NO_LANE,
				  .kind = SAMPLED_FOLDED,
				  .function = IDENTIFY_NONE,
				  .outer_function = IDENTIFY_NONE,
				  .count = from->count,
				  .cpu_ns = from->weight_ns};

	name_row(merge, modules, from, &row);
	sampled->rows =
		array_room(sampled->rows, sampled->row_count, sizeof(*sampled->rows));
	sampled->rows[sampled->row_count++] = row;
}

static void add_sums(struct sampled *sampled, const struct cpu_sums *sums)
{
	merge_add(&sampled->count, sums->sample_count);
	merge_add(&sampled->cpu_ns, sums->sampled_ns);
	merge_add(&sampled->outside_count, sums->sample_count);
	merge_add(&sampled->lost_ns, sums->lost_ns);
	merge_add(&sampled->refused_count, sums->refused_count);
	merge_add(&sampled->declined_count, sums->declined_count);
	if (sums->refused_count)
		sampled->ring_error = sums->error;
	if (!sums->attached_count)
		return;
	if (sums->longest_period_us > sampled->longest_period_us)
		sampled->longest_period_us = sums->longest_period_us;
	if (!sampled->shortest_period_us ||
	    sums->shortest_period_us < sampled->shortest_period_us)
		sampled->shortest_period_us = sums->shortest_period_us;
}

void sampled_add_outside(struct merge *merge, const struct cpu_book *book)
{
	struct read_process process = {.module_count = (uint32_t)book->module_count};
	size_t first = merge->sampled.row_count;
	struct module_list modules;

	process.modules = xcalloc(book->module_count, sizeof(*process.modules));
	for (size_t i = 0; i < book->module_count; i++) {
		struct segment_module module = book->modules[i];

		process.modules[i] =
			module_files_place(merge->run->module_files, &module);
		process.modules[i].start = process.modules[i].bias = 0;
	}
	modules_list(&merge->identify.modules, &process, &modules);
	for (size_t i = 0; i < book->row_count; i++)
		wish_row(merge, &modules, &book->rows[i]);
	for (size_t i = 0; i < book->row_count; i++)
		add_row(merge, &modules, &book->rows[i]);
	sampled_join(&merge->sampled, first);
	add_sums(&merge->sampled, &book->sums);
	if (merge->identify.function_count) /* as many as there are functions */
		merge_function_at(merge, (uint32_t)merge->identify.function_count - 1);
	free(modules.numbers);
	free(process.modules);
}
