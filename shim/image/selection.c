/* SPDX-License-Identifier: MIT */
/*
 * What the rules say of an object's functions, by its symbol tables, and by what the
 * collector has answered. Functions that have no name fit no rule about names.
 */
#include "shim/image/image.h"

#include <stddef.h>

#include "common/segment_control.h"
#include "common/selection.h"
#include "shim/core/addresses.h"
#include "shim/core/answers.h"
#include "shim/core/process.h"
#include "shim/patch/known.h"

#define NAME_BYTES 512

static struct selection selection;

/* Which only who reads debug information can apply: see shim/core/answers.h. */
static uint64_t source_rules;

void selection_begin(void)
{
	if (selection_read(&selection, process_facts.run->only, process_facts.run->skip))
		selection.count = 0;
	source_rules = selection_sources(&selection);
	selected_is_active = selection.count > 0;
}

int selection_asks_for_sources(void)
{
	return source_rules != 0;
}

/* Functions that rules fit. */
struct list {
	struct addresses *functions;
	uint64_t *rules; /* at each function's place: those that fit any of its names */
	uint64_t count;	 /* of names, before there is a set of them */
	uint64_t object_rules; /* that fit all of them */
	uint64_t fitted;       /* rules that fit anything */
	uint64_t unknown;      /* rules that may fit, and are taken to */
};

/* Copies that the compiler makes of a function go by its name: f.constprop.0. */
static const char *without_suffix(const char *name, char *buffer)
{
	size_t length = 0;

	while (name[length] && (name[length] != '.' || !length))
		length++;
	if (name[length] != '.' || length >= NAME_BYTES)
		return name;
	for (size_t i = 0; i < length; i++)
		buffer[i] = name[i];
	buffer[length] = '\0';
	return buffer;
}

static uint64_t rules_of(const char *symbol)
{
	char copy[NAME_BYTES], plain[NAME_BYTES];
	const char *name = without_suffix(symbol, copy);
	uint64_t rules = selection_fit(&selection, SELECTION_FUNCTION, name);

	if (plain_name(name, plain, sizeof(plain)))
		rules |= selection_fit(&selection, SELECTION_FUNCTION, plain) |
			 selection_fit(&selection, SELECTION_NAMESPACE, plain);
	return rules;
}

static void count_named(void *data, const struct symbols_function *function)
{
	struct list *list = data;

	if (rules_of(function->name))
		list->count++;
}

static void add_rules(struct list *list, uint64_t address, uint64_t rules)
{
	uint64_t at = rules ? addresses_put(list->functions, address) : UINT64_MAX;

	if (at != UINT64_MAX)
		list->rules[at] |= rules;
}

static void add_named(void *data, const struct symbols_function *function)
{
	add_rules(data, function->address, rules_of(function->name));
}

/* Leaves those functions with which it is not as with the object. */
static void keep_exceptions(struct list *list, int object_is_off)
{
	for (uint64_t i = 0; i <= list->functions->mask; i++) {
		uint64_t rules = list->rules[i] | list->object_rules;

		if (!list->functions->at[i])
			continue;
		list->fitted |= rules;
		if (selection_is_off(&selection, rules | list->unknown) == object_is_off)
			list->functions->at[i] = ADDRESSES_DROPPED;
	}
}

static void note_fitted(uint64_t fitting)
{
	uint32_t *fitted = process->segment->fitted_rules;

	__atomic_fetch_or(&fitted[0], (uint32_t)fitting, __ATOMIC_RELAXED);
	__atomic_fetch_or(&fitted[1], (uint32_t)(fitting >> 32), __ATOMIC_RELAXED);
}

static uint64_t identity_of(const struct segment_module *module, int is_answered)
{
	uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */

	for (uint32_t i = 0; i < sizeof(module->build_id); i++)
		hash = (hash ^ module->build_id[i]) * 0x100000001b3ull;
	for (uint32_t i = 0; i < sizeof(module->path) && module->path[i]; i++)
		hash = (hash ^ (uint8_t)module->path[i]) * 0x100000001b3ull;
	hash = (hash ^ module->inode) * 0x100000001b3ull;
	hash = (hash ^ module->size_bytes) * 0x100000001b3ull;
	hash = (hash ^ (uint64_t)module->mtime_ns) * 0x100000001b3ull;
	return (hash ^ (uint64_t)is_answered) * 0x100000001b3ull;
}

static void decide(const struct segment_module *module, struct list *list,
		   uint64_t identity, int is_answered)
{
	struct selected_object object = {.low = module->start,
					 .high = module->end,
					 .identity = identity,
					 .exceptions = list->functions,
					 .is_unanswered = !is_answered};

	list->object_rules = list->fitted =
		selection_fit(&selection, SELECTION_MODULE, module->path);
	object.is_off = (uint32_t)selection_is_off(&selection,
						   list->object_rules | list->unknown);
	keep_exceptions(list, (int)object.is_off);
	if (selected_decide(&object))
		note_fitted(list->fitted);
	else
		addresses_free(list->functions);
}

static void add_fitting(void *data, uint64_t address, uint64_t fitting)
{
	add_rules(data, address, fitting & source_rules);
}

/* Decides by the functions that rules fit, by their names and by what was answered.
 * Without memory for them nothing is decided. */
static void decide_by(const struct segment_module *module, struct list *list,
		      const struct answer *answer, uint64_t identity, int is_answered)
{
	uint64_t bytes;

	symbols_each(module, count_named, list);
	list->functions = addresses_new(list->count + answer->count);
	if (!list->functions)
		return;
	bytes = (list->functions->mask + 1) * sizeof(*list->rules);
	list->rules = process_map(bytes, 0);
	if (!list->rules) {
		addresses_free(list->functions);
		return;
	}
	symbols_each(module, add_named, list);
	answers_each(answer, module, add_fitting, list);
	decide(module, list, identity, is_answered);
	process_unmap(list->rules, bytes);
}

void selection_decide(const struct segment_module *module)
{
	struct list list = {.functions = NULL};
	struct answer answer = {.count = 0};
	int is_answered = !source_rules || answers_find(module, &answer);
	uint64_t identity = identity_of(module, is_answered);

	if (selected_bring_back(module->start, module->end, identity))
		return;
	if (!is_answered) { /* what may fit is recorded */
		list.unknown = source_rules & selection_only(&selection);
		process_ring();
	}
	decide_by(module, &list, &answer, identity, is_answered);
}
