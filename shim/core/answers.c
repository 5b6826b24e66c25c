/* SPDX-License-Identifier: MIT */
/*
 * Looking into a table that somebody else may replace meanwhile. Must not read what was
 * not published: it may have no memory.
 */
#include "shim/core/answers.h"

#include "common/segment_control.h"
#include "shim/core/process.h"

static uint64_t table_generation(void)
{
	const struct segment_control *control = process_facts.control;

	/* acquire: pairs with the release of who published it */
	return control ? __atomic_load_n(&control->table_generation, __ATOMIC_ACQUIRE)
		       : 0;
}

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
static void take(const struct segment_table *table, const struct segment_answer *found,
		 struct answer *ret)
{
	uint32_t total = table->fitting_count, first = found->first, count = found->count;

	if (total > SEGMENT_FITTING_LIMIT)
		total = SEGMENT_FITTING_LIMIT;
	if (first > total)
		first = total;
	ret->fittings = &table->fittings[first];
	ret->count = count < total - first ? count : total - first;
}

int answers_find(const struct segment_module *module, uint64_t rules_generation,
		 struct answer *ret)
{
	const struct segment_table *table;
	uint32_t count;

	*ret = (struct answer){.generation = table_generation()};
	if (!ret->generation)
		return 0;
	table = &process_facts.control->tables[ret->generation % 2];
	count = table->answer_count;
	if (table->rules_generation != rules_generation)
		return 0;
	for (uint32_t i = 0; i < count && i < SEGMENT_ANSWER_LIMIT; i++) {
		struct segment_answer answer = table->answers[i];

		if (!is_about(&answer, module))
			continue;
		take(table, &answer, ret);
		return answers_hold(ret);
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

uint64_t answers_hash(const struct answer *answer)
{
	uint64_t hash = 0xcbf29ce484222325ull + answer->count; /* FNV-1a, by words */

	for (uint32_t i = 0; i < answer->count; i++) {
		hash = (hash ^ answer->fittings[i].address) * 0x100000001b3ull;
		hash = (hash ^ answer->fittings[i].rules) * 0x100000001b3ull;
	}
	return hash;
}

int answers_hold(const struct answer *answer)
{
	/* what was read before is read before the generation */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !answer->generation || table_generation() == answer->generation;
}
