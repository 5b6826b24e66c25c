/* SPDX-License-Identifier: MIT */
/* Files known again by their paths and build-ids. */
#include "collector/read/module_files.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/xalloc.h"

static int is_same_file(const struct segment_module *a, const struct segment_module *b)
{
	return strcmp(a->path, b->path) == 0 && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, b->build_id_size) == 0 &&
	       a->device == b->device && a->inode == b->inode &&
	       a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns;
}

static uint64_t hash(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t sum = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ull;
	return sum;
}

/* Two whose hashes meet are told apart by a number more. */
static const struct segment_module *file_of(struct module_files *files,
					    const struct segment_module *from)
{
	uint64_t path = hash(from->path, strlen(from->path));
	uint64_t build_id = hash(from->build_id, from->build_id_size);

	for (uint64_t i = 0;; i++) {
		uint32_t number = map_get(&files->map, path, build_id, i);

		if (number == MAP_NONE)
			map_put(&files->map, path, build_id, i, (uint32_t)files->count);
		else if (is_same_file(files->all[number], from))
			return files->all[number];
		else
			continue;
		files->all = array_room(files->all, files->count, sizeof(*files->all));
		files->all[files->count] = xmalloc(sizeof(*from));
		*files->all[files->count] = *from;
		return files->all[files->count++];
	}
}

struct read_module module_files_place(struct module_files *files,
				      struct segment_module *from)
{
	from->path[sizeof(from->path) - 1] = '\0';
	if (from->build_id_size > sizeof(from->build_id))
		from->build_id_size = 0;
	return (struct read_module){from->start, from->end, from->bias,
				    from->unload_ticks, file_of(files, from)};
}

void module_files_done(struct module_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->all[i]);
	free(files->all);
	map_done(&files->map);
	*files = (struct module_files){.count = 0};
}
