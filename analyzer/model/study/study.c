/* SPDX-License-Identifier: MIT */
/* Calls and their paths. */
#include "analyzer/model/study/study.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

uint32_t study_path(struct study *study, uint32_t parent, uint64_t function,
		    int64_t path_id)
{
	bool is_new;
	uint32_t number = map_number(&study->map, parent, function, 0, &is_new);

	if (!is_new)
		return number;
	study->paths = array_room(study->paths, number, sizeof(*study->paths));
	study->paths[number] = (struct study_path){
		.parent = parent, .function = function, .path_id = path_id};
	study->path_count = number + 1;
	return number;
}

struct study_call *study_add_call(struct study *study, int64_t id)
{
	struct study_call *call = &ARRAY_ADD(study->calls, study->call_count);

	call->id = id;
	return call;
}

struct study_numbers *study_part(struct study_call *call, uint32_t path)
{
	while (call->part_count <= path)
		(void)ARRAY_ADD(call->parts, call->part_count);
	return &call->parts[path];
}

void study_numbers_add(struct study_numbers *to, const struct study_numbers *from,
		       double factor)
{
	to->calls += factor * from->calls;
	to->self_ns += factor * from->self_ns;
	to->ready_ns += factor * from->ready_ns;
	to->blocked_ns += factor * from->blocked_ns;
	to->alloc_count += factor * from->alloc_count;
	to->alloc_bytes += factor * from->alloc_bytes;
}

void study_done(struct study *study)
{
	for (size_t i = 0; i < study->call_count; i++)
		free(study->calls[i].parts);
	free(study->calls);
	free(study->paths);
	map_done(&study->map);
	*study = (struct study){.path_count = 0};
}
