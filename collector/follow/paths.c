/* SPDX-License-Identifier: MIT */
/* The rows of paths. */
#include "collector/follow/parts.h"

void follow_take_paths(struct follow *follow)
{
	const struct merge *merge = &follow->merge;
	size_t from = follow->paths.count;

	follow->path_rows =
		follow_room(follow->path_rows, &follow->path_room,
			    (uint32_t)merge->path_count, sizeof(*follow->path_rows));
	follow->path_longest =
		follow_room(follow->path_longest, &follow->path_longest_room,
			    (uint32_t)merge->path_count, sizeof(*follow->path_longest));
	follow->function_longest =
		follow_room(follow->function_longest, &follow->function_longest_room,
			    (uint32_t)merge->identify.function_count + 1,
			    sizeof(*follow->function_longest));
	ledger_grow(&follow->paths, merge->path_count);
	for (; from < merge->path_count; from++)
		follow->path_rows[from] = (struct follow_path){
			merge->paths[from].parent, merge->paths[from].function,
			merge->paths[from].kind};
}
