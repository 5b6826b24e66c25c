/* SPDX-License-Identifier: MIT */
/*
 * What the rules say of an object's functions, by its symbol tables, and by what the
 * collector has answered. Functions that have no name fit no rule about names.
 */
#include "shim/image/image.h"

#include <stddef.h>

#include "common/segment_control.h"
#include "common/selection.h"
#include "shim/core/process.h"
#include "shim/core/answers.h"
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

/* Functions that rules fit, in the order of the tables, and by address later. */
struct named {
	uint64_t address, rules;
};

struct list {
	struct named *all;
	uint64_t count, capacity;
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

static void add_named(void *data, const struct symbols_function *function)
{
	struct list *list = data;
	uint64_t rules = rules_of(function->name);

	if (rules && list->count < list->capacity)
		list->all[list->count++] = (struct named){function->address, rules};
}

static void sift(struct named *all, uint64_t root, uint64_t end)
{
	for (;;) {
		uint64_t child = root * 2 + 1;
		struct named kept = all[root];

		if (child >= end)
			return;
		if (child + 1 < end && all[child].address < all[child + 1].address)
			child++;
		if (all[child].address <= kept.address)
			return;
		all[root] = all[child];
		all[child] = kept;
		root = child;
	}
}

/* A heap sort: libc's may allocate. */
static void sort(struct list *list)
{
	for (uint64_t i = list->count / 2; i-- > 0;)
		sift(list->all, i, list->count);
	for (uint64_t end = list->count; end-- > 1;) {
		struct named last = list->all[end];

		list->all[end] = list->all[0];
		list->all[0] = last;
		sift(list->all, 0, end);
	}
}

/* One function may have several names. Leaves the addresses of those functions with which
 * it is not as with the object, in the place of the list; returns how many. */
static uint32_t keep_exceptions(struct list *list, int object_is_off)
{
	uint64_t *functions = (uint64_t *)list->all;
	uint32_t count = 0;

	for (uint64_t i = 0; i < list->count;) {
		uint64_t address = list->all[i].address, rules = list->object_rules;

		for (; i < list->count && list->all[i].address == address; i++)
			rules |= list->all[i].rules;
		list->fitted |= rules;
		rules |= list->unknown;
		if (selection_is_off(&selection, rules) != object_is_off)
			functions[count++] = address;
	}
	return count;
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
					 .is_unanswered = !is_answered};

	list->object_rules = list->fitted =
		selection_fit(&selection, SELECTION_MODULE, module->path);
	object.is_off = (uint32_t)selection_is_off(&selection,
						   list->object_rules | list->unknown);
	object.functions = (uint64_t *)list->all;
	object.count = keep_exceptions(list, (int)object.is_off);
	if (selected_decide(&object))
		note_fitted(list->fitted);
}

static void add_fitting(void *data, uint64_t address, uint64_t fitting)
{
	struct list *list = data;

	fitting &= source_rules;
	if (fitting && list->count < list->capacity)
		list->all[list->count++] = (struct named){address, fitting};
}

/* The functions that rules fit, by their names and by what was answered. 0: there is no
 * memory. */
static int fill(const struct segment_module *module, struct list *list,
		const struct answer *answer)
{
	symbols_each(module, count_named, list);
	list->capacity = list->count + answer->count;
	list->count = 0;
	if (!list->capacity)
		return 1;
	list->all = process_map(list->capacity * sizeof(*list->all), 0);
	if (!list->all)
		return 0;
	symbols_each(module, add_named, list);
	answers_each(answer, module, add_fitting, list);
	sort(list);
	return 1;
}

void selection_decide(const struct segment_module *module)
{
	struct list list = {.all = NULL};
	struct answer answer = {.count = 0};
	int is_answered = !source_rules || answers_find(module, &answer);
	uint64_t identity = identity_of(module, is_answered);

	if (selected_bring_back(module->start, module->end, identity))
		return;
	if (!is_answered) { /* what may fit is recorded */
		list.unknown = source_rules & selection_only(&selection);
		process_ring();
	}
	if (fill(module, &list, &answer))
		decide(module, &list, identity, is_answered);
	process_unmap(list.all, list.capacity * sizeof(*list.all));
}
