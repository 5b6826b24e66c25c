/* SPDX-License-Identifier: MIT */
/* Hosts of paths. Must not walk up the tree for each path. */
#include "collector/account/hosts.h"

#include <stdlib.h>

#include "common/base/array.h"
#include "common/base/xalloc.h"

struct host {
	int64_t copies; /* calls with frames that are copies, less all others */
	uint32_t function;
	int is_copy;
};

struct hosts {
	struct merge *merge;
	struct host *all; /* by path */
	size_t count;
};

struct hosts *hosts_new(struct merge *merge)
{
	struct hosts *hosts = xcalloc(1, sizeof(*hosts));

	hosts->merge = merge;
	for (size_t i = 0; i < merge->path_count; i++)
		hosts_add(hosts, (uint32_t)i, 0);
	return hosts;
}

void hosts_free(struct hosts *hosts)
{
	if (!hosts)
		return;
	free(hosts->all);
	free(hosts);
}

void hosts_note(struct hosts *hosts, const struct kept_cell *cell)
{
	quantity_add(&hosts->all[cell->path].copies,
		     2 * cell->inlined_calls - cell->calls);
}

static void set_host(struct hosts *hosts, uint32_t path, int is_copy)
{
	const struct merge_path *row = &hosts->merge->paths[path];

	hosts->all[path].is_copy = is_copy;
	hosts->all[path].function =
		is_copy ? hosts->all[row->parent].function : row->function;
}

static int is_counted_copy(const struct hosts *hosts, const struct callers *callers,
			   const struct merge_path *row)
{
	return row->kind == MERGE_FUNCTION &&
	       callers_have_copies(callers, row->function,
				   hosts->merge->paths[row->parent].function,
				   hosts->all[row->parent].function);
}

/* A path most of whose calls are copies is in the code of the one above. */
void hosts_find(struct hosts *hosts, const struct callers *callers)
{
	for (size_t i = 1; i < hosts->count; i++) {
		struct merge_path *row = &hosts->merge->paths[i];
		int64_t copies = hosts->all[i].copies;

		if (row->parent && !copies)
			row->has_copies = is_counted_copy(hosts, callers, row);
		set_host(hosts, (uint32_t)i,
			 row->parent && (copies > 0 || row->has_copies));
	}
}

void hosts_add(struct hosts *hosts, uint32_t path, int is_copy)
{
	if (path < hosts->count)
		return;
	while (hosts->count <= path) {
		hosts->all = array_room(hosts->all, hosts->count, sizeof(*hosts->all));
		hosts->all[hosts->count] = (struct host){.copies = 0};
		set_host(hosts, (uint32_t)hosts->count++, 0);
	}
	set_host(hosts, path, is_copy);
}

uint32_t hosts_of(const struct hosts *hosts, uint32_t path)
{
	return hosts->all[path].function;
}

int hosts_is_copy(const struct hosts *hosts, uint32_t path)
{
	return hosts->all[path].is_copy;
}
