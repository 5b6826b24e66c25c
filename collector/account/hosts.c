/* SPDX-License-Identifier: MIT */
/* Hosts of paths, and which paths are theirs. Must not walk up the tree for each path. */
#include "collector/account/hosts.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

struct hosts {
	const struct merge *merge;
	uint8_t *is_host; /* by function */
	int64_t *copies; /* by path: calls with frames that are copies, less all others */
	uint32_t *host_of; /* by path: the function that has its code */
	size_t count;
};

struct hosts *hosts_new(const struct merge *merge)
{
	struct hosts *hosts = xcalloc(1, sizeof(*hosts));

	hosts->merge = merge;
	hosts->count = merge->path_count;
	hosts->host_of = xcalloc(hosts->count, sizeof(*hosts->host_of));
	hosts->copies = xcalloc(hosts->count, sizeof(*hosts->copies));
	hosts->is_host = xcalloc(merge->identify.function_count, sizeof(*hosts->is_host));
	for (size_t i = 0; i < merge->mode_count; i++)
		if (merge->modes[i].host != MERGE_NO_FUNCTION)
			hosts->is_host[merge->modes[i].host] = 1;
	return hosts;
}

void hosts_free(struct hosts *hosts)
{
	if (!hosts)
		return;
	free(hosts->is_host);
	free(hosts->copies);
	free(hosts->host_of);
	free(hosts);
}

int hosts_has(const struct hosts *hosts, uint32_t path)
{
	const struct merge_path *row = &hosts->merge->paths[path];

	return row->kind == MERGE_FUNCTION && hosts->is_host[row->function];
}

void hosts_note(struct hosts *hosts, const struct kept_cell *cell)
{
	quantity_add(&hosts->copies[cell->path], 2 * cell->inlined_calls - cell->calls);
}

/* A path most of whose calls are copies is in the code of the one above. */
void hosts_find(struct hosts *hosts)
{
	const struct merge *merge = hosts->merge;

	for (size_t i = 1; i < hosts->count; i++) {
		const struct merge_path *path = &merge->paths[i];
		int is_copy = path->parent && hosts->copies[i] > 0;

		hosts->host_of[i] =
			is_copy ? hosts->host_of[path->parent] : path->function;
	}
}

int hosts_has_place(const struct hosts *hosts, const struct hosts_places *places,
		    uint32_t path)
{
	return places->host == MERGE_NO_FUNCTION ||
	       (path < hosts->count && hosts->host_of[path] == places->host);
}

/* Keeps what is in the host's code; 0: nothing is. */
static int find_places(const struct hosts *hosts, const struct weights *weights,
		       const struct kept_lane *lane, uint32_t function,
		       struct hosts_places *ret)
{
	ret->all =
		weights_find(weights, function, lane->process, lane->lane, &ret->count);
	for (size_t i = 0; i < ret->count; i++) {
		if (hosts_has_place(hosts, ret, ret->all[i].path))
			return 1;
	}
	return 0;
}

/*
 * Calls of copies are in the code of a host that is known: on those paths of the function
 * that are in it, or else right below the host's own. All others are on the paths on
 * which it is no copy. Where the host was never seen (it is what the compiler split from
 * another one), or the function's paths are all of one kind, any will do.
 */
void hosts_choose(const struct hosts *hosts, const struct weights *weights,
		  const struct kept_lane *lane, const struct merge_mode *mode,
		  struct hosts_places *ret)
{
	int is_copy = mode->host != MERGE_NO_FUNCTION;

	*ret = (struct hosts_places){.host = is_copy ? mode->host : mode->function};
	if (find_places(hosts, weights, lane, mode->function, ret))
		return;
	ret->is_above = 1;
	if (is_copy && find_places(hosts, weights, lane, mode->host, ret))
		return;
	*ret = (struct hosts_places){.host = MERGE_NO_FUNCTION};
	find_places(hosts, weights, lane, mode->function, ret);
}
