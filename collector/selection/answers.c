/* SPDX-License-Identifier: MIT */
/* Each object of a run once. */
#include "collector/selection/selection.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arrays.h"
#include "common/base/array.h"

static void note_trouble(struct answers *answers, const char *what, const char *why)
{
	if (!answers->trouble_count++)
		snprintf(answers->trouble, sizeof(answers->trouble), "%.160s: %s", what,
			 why);
}

void answers_begin(struct answers *ret, int directory_fd, const struct segment_run *run)
{
	*ret = (struct answers){.run = run};
	if (selection_read(&ret->selection, run->only, run->skip) ||
	    !selection_sources(&ret->selection) ||
	    control_open(&ret->control, directory_fd, run->token) < 0)
		return;
	ret->resolver = resolver_new(&ret->selection);
}

void answers_end(struct answers *answers)
{
	if (!answers->resolver)
		return;
	free(answers->all);
	map_done(&answers->numbers);
	resolver_free(answers->resolver);
	control_close(&answers->control);
	answers->resolver = NULL;
}

/* Which object it is, as it is copied into the answer. */
static struct segment_answer identify(const struct segment_module *module)
{
	struct segment_answer answer = {
		.build_id_size = module->build_id_size,
		.device = module->device,
		.inode = module->inode,
		.size_bytes = module->size_bytes,
		.mtime_ns = module->mtime_ns,
	};

	memcpy(answer.build_id, module->build_id, sizeof(answer.build_id));
	return answer;
}

/* Has it been read? From now on it has. */
static bool is_known(struct answers *answers, const struct segment_answer *object)
{
	uint64_t hash = hash_bytes(object, sizeof(*object));

	for (uint64_t i = 0;; i++) {
		uint32_t number = map_get(&answers->numbers, hash, i, 0);

		if (number == MAP_NONE) {
			map_put(&answers->numbers, hash, i, 0, answers->count);
			break;
		}
		if (memcmp(&answers->all[number], object, sizeof(*object)) == 0)
			return true;
	}
	ARRAY_ADD(answers->all, answers->count) = *object;
	return false;
}

void answers_add(struct answers *answers, const struct segment_module *module)
{
	struct segment_answer object = identify(module);
	struct resolved resolved;
	int result = 0;

	if (!answers->resolver || is_known(answers, &object))
		return;
	resolver_read(answers->resolver, module, &resolved);
	if (resolved.trouble)
		note_trouble(answers, module->path, resolved.trouble);
	/* of one without hooks nobody asks */
	if (resolved.has_hooks || resolved.trouble)
		result = control_answer(&answers->control, &object, resolved.fittings,
					(uint32_t)resolved.count);
	if (result == -E2BIG)
		note_trouble(answers, module->path, "too many functions fit");
	else if (result < 0)
		note_trouble(answers, "answers", strerror(-result));
	free(resolved.fittings);
}

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
