/* SPDX-License-Identifier: MIT */
/*
 * The samples of lanes, whose nodes have their paths, and those of programs without
 * hooks, as rows of a run.
 */
#include "collector/merge/place.h"

#include <stdlib.h>
#include <string.h>

#include "collector/merge/identify.h"
#include "collector/merge/merge.h"
#include "collector/merge/results.h"
#include "collector/processes/cpu_book.h"
#include "common/base/xalloc.h"

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

/* Fills in the functions, the line and the file of the key's address. */
static void find_names(struct sampled_row *row, struct identify *identify,
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

/* Of the rows from `first` on those of one place become one. */
static void join(struct sampled *sampled, size_t first)
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

void sampled_forget_callers(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->row_count; i++)
		sampled->rows[i].caller = 0;
	join(sampled, 0);
}

uint32_t sampled_caller(struct merge *merge, uint32_t place, uint32_t caller)
{
	struct sampled *sampled = &merge->sampled;
	bool is_new;
	uint32_t number = 1 + map_number(&merge->caller_map, place, caller, 0, &is_new);

	if (!is_new)
		return number;
	if (!sampled->caller_count) /* index 0 is nobody */
		POOL_ADD(&merge->pool, sampled->callers, sampled->caller_count) =
			(struct sampled_caller){.place = 0};
	POOL_ADD(&merge->pool, sampled->callers, sampled->caller_count) =
		(struct sampled_caller){.place = place, .caller = caller};
	return number;
}

static enum sampled_kind kind_of(uint64_t address)
{
	switch (address) {
	case SEGMENT_SAMPLE_HOOKS:
		return SAMPLED_HOOKS;
	case SEGMENT_SAMPLE_STUBS:
		return SAMPLED_STUBS;
	case SEGMENT_SAMPLE_FOLDED:
		return SAMPLED_FOLDED;
	default:
		return SAMPLED_CODE;
	}
}

static int is_caller(const struct segment_sample *sample)
{
	return (sample->address & SEGMENT_KEY_RETURN_ADDRESS) != 0;
}

/* What is known of a return address is known of the instruction before it: so an
 * instruction is looked for by the address behind its first byte. */
static uint64_t node_key(const struct segment_sample *sample)
{
	return is_caller(sample) ? sample->address
				 : (sample->address + 1) | SEGMENT_KEY_RETURN_ADDRESS;
}

static void wish_names(struct lane_walk *walk)
{
	for (uint32_t i = 1; i < walk->data.sample_count; i++)
		if (kind_of(walk->data.samples[i].address) == SAMPLED_CODE)
			identify_wish(&walk->merge->identify, walk->modules,
				      node_key(&walk->data.samples[i]));
}

/* The caller in sampled->callers of an entry; entries: of those before it, likewise. */
static uint32_t caller_of(struct lane_walk *walk, const struct segment_sample *from,
			  const uint32_t *entries)
{
	size_t index = (size_t)(from - walk->data.samples);

	if (from->caller == SEGMENT_SAMPLE_FRAME)
		return SAMPLED_FRAME;
	if (from->caller < index && (!from->caller || entries[from->caller]))
		return from->caller ? entries[from->caller] : 0;
	walk->merge->damaged_count++;
	return 0;
}

static void add_node_row(struct lane_walk *walk, const struct segment_sample *from,
			 uint32_t caller)
{
	struct sampled *sampled = &walk->merge->sampled;
	struct sampled_row row = {.lane = walk->lane,
				  .kind = kind_of(from->address),
				  .function = IDENTIFY_NONE,
				  .outer_function = IDENTIFY_NONE,
				  .caller = caller,
				  .count = from->count,
				  .cpu_ns = from->weight_ns};

	if (from->node < walk->data.node_count && walk->nodes[from->node].is_placed)
		row.path = walk->nodes[from->node].path;
	else if (!place_is_cut(walk, from->node) && from->node > LANE_ROOT)
		walk->merge->damaged_count++;
	if (row.kind == SAMPLED_CODE)
		find_names(&row, &walk->merge->identify, walk->modules, node_key(from));
	POOL_ADD(&walk->merge->pool, sampled->rows, sampled->row_count) = row;
	if (row.kind == SAMPLED_HOOKS || row.kind == SAMPLED_STUBS)
		count_add(&sampled->hook_ns, row.cpu_ns);
}

static void add_entries(struct lane_walk *walk)
{
	struct identify *identify = &walk->merge->identify;
	uint32_t *entries = xcalloc(walk->data.sample_count, sizeof(*entries)), count;

	for (uint32_t i = 1; i < walk->data.sample_count; i++) {
		const struct segment_sample *from = &walk->data.samples[i];
		uint32_t caller = caller_of(walk, from, entries);

		if (is_caller(from))
			entries[i] =
				sampled_caller(walk->merge,
					       identify_places(identify, walk->modules,
							       node_key(from), &count),
					       caller);
		else
			add_node_row(walk, from, caller);
	}
	free(entries);
}

static void note_periods(struct sampled *sampled, uint64_t count, uint32_t shortest_us,
			 uint32_t longest_us)
{
	if (!count)
		return;
	if (longest_us > sampled->longest_period_us)
		sampled->longest_period_us = longest_us;
	if (!sampled->shortest_period_us || shortest_us < sampled->shortest_period_us)
		sampled->shortest_period_us = shortest_us;
}

static void add_header(struct sampled *sampled, const struct segment_lane *header)
{
	uint32_t period_us = header->sample_period_us;

	count_add(&sampled->count, header->sample_count);
	count_add(&sampled->cpu_ns, header->sampled_ns);
	count_add(&sampled->kernel_ns, header->kernel_ns);
	count_add(&sampled->lost_ns, header->lost_sample_ns);
	count_add(&sampled->timer_count, header->timer_sample_count);
	count_add(&sampled->ring_count, header->ring_count);
	count_add(&sampled->refused_count, header->ring_refused_count);
	count_add(&sampled->declined_count, header->ring_declined_count);
	if (header->ring_refused_count)
		sampled->ring_error = header->ring_error;
	note_periods(sampled, header->ring_count, period_us, period_us);
}

void sampled_add_lane(struct lane_walk *walk)
{
	struct sampled *sampled = &walk->merge->sampled;
	size_t first = sampled->row_count;

	if (walk->data.sample_count > 1) {
		POOL_ADD(&walk->merge->pool, sampled->lanes, sampled->lane_count) =
			(struct sampled_lane){walk->lane, walk->data.header.sampled_ns,
					      walk->data.header.kernel_ns};
	}
	add_header(sampled, &walk->data.header);
	wish_names(walk);
	if (walk->data.sample_count > 1)
		add_entries(walk);
	join(sampled, first);
}

/*
 * The book's modules are those of a process that has them all at the same place: an
 * address is told by its module's number, which keys have room for.
 */

_Static_assert(CPU_BOOK_MODULE_LIMIT < SEGMENT_KEY_MODULE_MASK, "a key has their number");

static void name_row(struct merge *merge, struct module_list *modules,
		     const struct cpu_row *from, struct sampled_row *row)
{
	if (from->module == CPU_BOOK_NO_MODULE)
		return;
	if (sampled_is_recorder(modules, from->module)) {
		row->kind = SAMPLED_HOOKS;
		count_add(&merge->sampled.hook_ns, from->weight_ns);
		return;
	}
	row->kind = SAMPLED_CODE;
	find_names(row, &merge->identify, modules,
		   sampled_key(from->module, from->address));
}

static void wish(struct merge *merge, struct module_list *modules, uint32_t module,
		 uint64_t address)
{
	if (module != CPU_BOOK_NO_MODULE && !sampled_is_recorder(modules, module))
		identify_wish(&merge->identify, modules, sampled_key(module, address));
}

static void wish_all(struct merge *merge, struct module_list *modules,
		     const struct cpu_book *book)
{
	for (size_t i = 0; i < book->row_count; i++)
		wish(merge, modules, book->rows[i].module, book->rows[i].address);
	for (size_t i = 0; i < book->frame_count; i++)
		wish(merge, modules, book->frames[i].module, book->frames[i].address - 1);
	for (size_t i = 0; i < book->stack_count; i++)
		wish(merge, modules, book->stacks[i].module, book->stacks[i].address);
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
	POOL_ADD(&merge->pool, sampled->rows, sampled->row_count) = row;
}

static void add_sums(struct sampled *sampled, const struct cpu_sums *sums)
{
	count_add(&sampled->count, sums->sample_count);
	count_add(&sampled->cpu_ns, sums->sampled_ns);
	count_add(&sampled->outside_count, sums->sample_count);
	count_add(&sampled->stack_count, sums->stack_count);
	count_add(&sampled->cut_stack_count, sums->cut_stack_count);
	count_add(&sampled->lost_stack_count, sums->lost_stack_count);
	count_add(&sampled->refused_stack_count, sums->refused_stack_count);
	count_add(&sampled->lost_ns, sums->lost_ns);
	count_add(&sampled->refused_count, sums->refused_count);
	count_add(&sampled->declined_count, sums->declined_count);
	if (sums->refused_count)
		sampled->ring_error = sums->error;
	note_periods(sampled, sums->attached_count, sums->shortest_period_us,
		     sums->longest_period_us);
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
	modules_list(&merge->identify.modules, &merge->pool, &process, &modules);
	wish_all(merge, &modules, book);
	for (size_t i = 0; i < book->row_count; i++)
		add_row(merge, &modules, &book->rows[i]);
	join(&merge->sampled, first);
	sampled_place(merge, &modules, book, first);
	add_sums(&merge->sampled, &book->sums);
	free(process.modules);
}
