/* SPDX-License-Identifier: MIT */
/* Processes in the order of their files, and what each has for a time. */
#include "collector/read/parts.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

static int by_file(const void *a, const void *b, void *data)
{
	const struct read_process *processes = data;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	if (processes[left].file != processes[right].file)
		return processes[left].file < processes[right].file ? -1 : 1;
	return left < right ? -1 : left > right;
}

void read_parts_begin(struct read_parts *ret, const struct read_run *run)
{
	*ret = (struct read_parts){
		.run = run, .order = xcalloc(run->process_count, sizeof(*ret->order))};
	for (uint32_t i = 0; i < run->process_count; i++)
		if (!run->processes[i].is_borrower)
			ret->order[ret->count++] = i;
	qsort_r(ret->order, ret->count, sizeof(*ret->order), by_file, run->processes);
}

static void give_back(struct read_parts *parts)
{
	for (size_t i = parts->first; i < parts->end; i++)
		read_process_forget(&parts->run->processes[parts->order[i]]);
	parts->first = parts->end;
}

void read_parts_of(struct read_parts *parts, uint32_t file)
{
	const struct read_run *run = parts->run;
	struct segment_reader reader;

	give_back(parts);
	while (parts->end < parts->count &&
	       run->processes[parts->order[parts->end]].file <= file)
		parts->end++;
	if (parts->first == parts->end || read_open_file(run, file, &reader) < 0)
		return;
	for (size_t i = parts->first; i < parts->end; i++)
		read_process_parts(&run->processes[parts->order[i]], &reader,
				   read_node_limit(&run->page));
	segment_reader_close(&reader);
}

void read_parts_done(struct read_parts *parts)
{
	give_back(parts);
	free(parts->order);
}
