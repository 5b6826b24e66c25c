/* SPDX-License-Identifier: MIT */
/*
 * Looking into what somebody else writes meanwhile. Must not read what was not published:
 * it may have no memory.
 */
#include "shim/core/answers.h"

/* Objects without a build-id are known by their files. */
static int is_about(const struct segment_answer *answer,
		    const struct segment_module *module)
{
	if (answer->build_id_size != module->build_id_size)
		return 0;
	for (uint32_t i = 0; i < sizeof(module->build_id); i++) {
		if (answer->build_id[i] != module->build_id[i])
			return 0;
	}
	if (module->build_id_size)
		return 1;
	return module->inode && answer->inode == module->inode &&
	       answer->device == module->device &&
	       answer->size_bytes == module->size_bytes &&
	       answer->mtime_ns == module->mtime_ns;
}

/* Less than was published when the numbers do not fit. */
static void take(const struct segment_answer *found, struct answer *ret)
{
	uint32_t first = found->first < SEGMENT_FITTING_LIMIT ? found->first
							      : SEGMENT_FITTING_LIMIT;
	uint32_t left = SEGMENT_FITTING_LIMIT - first;

	ret->fittings = &process_facts.control->fittings[first];
	ret->count = found->count < left ? found->count : left;
}

int answers_find(const struct segment_module *module, struct answer *ret)
{
	uint32_t count = answers_count();

	*ret = (struct answer){.count = 0};
	for (uint32_t i = 0; i < count && i < SEGMENT_ANSWER_LIMIT; i++) {
		struct segment_answer answer = process_facts.control->answers[i];

		if (!is_about(&answer, module))
			continue;
		take(&answer, ret);
		return 1;
	}
	return 0;
}

void answers_each(const struct answer *answer, const struct segment_module *module,
		  answers_look look, void *data)
{
	for (uint32_t i = 0; i < answer->count; i++) {
		struct segment_fitting fitting = answer->fittings[i];
		uint64_t address = module->bias + fitting.address;

		if (address >= module->start && address < module->end)
			look(data, address, fitting.rules);
	}
}
