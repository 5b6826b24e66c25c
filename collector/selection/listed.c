/* SPDX-License-Identifier: MIT */
/* From a process's slot to its objects. */
#include "collector/selection/listed.h"

#include <stdlib.h>
#include <string.h>

#include "common/arrays.h"

uint32_t listed_count(const struct segment_reader *reader, uint32_t slot)
{
	struct segment_array array = {.count = 0};

	(void)segment_reader_bytes(reader, slot, array_kinds[ARRAY_MODULES].at, &array,
				   sizeof(array));
	return array.count;
}

void listed_show(struct answers *answers, const struct segment_reader *reader,
		 uint32_t slot, int32_t pid)
{
	struct segment_process header;
	struct segment_module *modules;
	uint32_t count;

	if (segment_reader_process(reader, slot, &header) < 0 || header.pid != pid)
		return;
	modules = segment_reader_entries(reader, slot, ARRAY_MODULES, &header, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct segment_module *module = &modules[i];

		module->path[sizeof(module->path) - 1] = '\0';
		if (module->build_id_size > sizeof(module->build_id))
			module->build_id_size = 0;
		if (strcmp(module->path, "[vdso]") != 0)
			answers_add(answers, module);
	}
	free(modules);
}
