/* SPDX-License-Identifier: MIT */
/* Functions of addresses, and rows of one place. */
#include "collector/merge/sampled/join.h"

#include <stdlib.h>

#include "collector/merge/add.h"

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

	if (left->lane != right->lane)
		return left->lane < right->lane ? -1 : 1;
	if (left->path != right->path)
		return left->path < right->path ? -1 : 1;
	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	if (left->function != right->function)
		return left->function < right->function ? -1 : 1;
	if (left->outer_function != right->outer_function)
		return left->outer_function < right->outer_function ? -1 : 1;
	if (left->file != right->file)
		return (uintptr_t)left->file < (uintptr_t)right->file ? -1 : 1;
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	return left->caller < right->caller ? -1 : left->caller > right->caller;
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
		merge_add(&last->count, sampled->rows[i].count);
		merge_add(&last->cpu_ns, sampled->rows[i].cpu_ns);
	}
	sampled->row_count = kept + 1;
}
