/* SPDX-License-Identifier: MIT */
/*
 * The process's table of mapped objects, for those addresses that were recorded. Filled
 * when a new function or return address turns up. Runs on: traced threads, any context
 * (slow path of the tree). Must not take the loader's lock: _dl_find_object (glibc 2.35)
 * does not.
 *
 * Two threads may enter the same object at the same time; readers merge equal modules.
 * An entry counts when its `end` is set, which is stored last.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "shim/code/code.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/image/image.h"
#include "shim/lane/lane.h"
#include "shim/lane/functions.h"
#include "shim/patch/modes.h"
#include "shim/patch/known.h"

static struct segment_module *module_at(uint32_t index)
{
	return (struct segment_module *)arrays_entries(process->segment,
						       &process->segment->modules) +
	       index;
}

/* The loader knows the program itself by an empty name. */
static const char *object_path(const struct dl_find_object *found)
{
	const char *name = found->dlfo_link_map->l_name;

	return name[0] ? name : process->segment->executable;
}

/* The path in the table may be another one: the loader's may be relative. */
static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

static int is_object(const struct segment_module *module,
		     const struct dl_find_object *found)
{
	return module->start == (uint64_t)found->dlfo_map_start &&
	       module->end == (uint64_t)found->dlfo_map_end &&
	       module->name_hash == hash_name(object_path(found));
}

/* The entry of an object that is mapped, or NULL. */
static struct segment_module *find_known(const struct dl_find_object *found)
{
	for (uint32_t i = arrays_count(&process->segment->modules); i-- > 0;) {
		struct segment_module *module = module_at(i);

		if (!module->unload_ticks && is_object(module, found))
			return module;
	}
	return NULL;
}

/* The ELF header is at the start of the object's first mapping. */
static void read_build_id(struct segment_module *module, const char *start, uint64_t bias)
{
	unsigned int count = 0;
	const ElfW(Phdr) *program = code_segments((uintptr_t)start, &count);

	for (unsigned int i = 0; i < count && !module->build_id_size; i++) {
		uint64_t at = bias + program[i].p_vaddr;

		if (program[i].p_type == PT_NOTE && at >= module->start &&
		    at + program[i].p_memsz <= module->end)
			object_copy_build_id(module, (const char *)at,
					     program[i].p_memsz);
	}
}

/* The loader's name for an object is what somebody opened it by, "./plugin.so" perhaps,
 * which means something else after a chdir(). The kernel knows where the file is. Only a
 * build-id tells for sure that a file is the one that was mapped: without it the file is
 * noted while it is there. */
static void find_file(struct segment_module *module, const char *name)
{
	size_t length = strlen(name);
	int is_deleted = 0;

	if (length < sizeof(module->path))
		memcpy(module->path, name, length + 1);
	if (name[0] == '/' && module->build_id_size)
		return;
	if (mapping_path(module->start, module->path, sizeof(module->path), &is_deleted) <
		    0 &&
	    length < sizeof(module->path)) {
		memcpy(module->path, name, length + 1);
		mapping_absolute(module->path, sizeof(module->path));
		is_deleted = name[0] != '/'; /* perhaps it was another directory */
	}
	if (!module->build_id_size && !is_deleted)
		mapping_identify(module);
}

/* Describes an object. */
static void fill_module(struct segment_module *module, const struct dl_find_object *found)
{
	const char *name = object_path(found);

	module->name_hash = hash_name(name);
	module->start = (uint64_t)found->dlfo_map_start;
	module->bias = found->dlfo_link_map->l_addr;
	module->unload_ticks = 0;
	module->end = (uint64_t)found->dlfo_map_end;
	read_build_id(module, found->dlfo_map_start, module->bias);
	find_file(module, name);
}

/* The next free place of the table, NULL when it is full. */
static struct segment_module *free_place(void)
{
	struct segment_process *segment = process->segment;
	uint32_t index = segment->modules.count;

	if (process_grow(segment, process->slot, ARRAY_MODULES, index + 1) < 0)
		return NULL;
	return module_at(index);
}

/* At their addresses something else may be mapped next. */
static void forget_sites(struct lane_context *context)
{
	for (uint32_t i = 0; i < LANE_KNOWN_SITES; i++)
		if (context->known_sites[i].return_address)
			context->known_sites[i].return_address = 0;
}

/* The nodes and functions of an unloaded object get its number into their keys, so that
 * they never match what is mapped there next. Their threads may run meanwhile: none of
 * them is inside the object, so none looks for these nodes. */
static void retire(struct lane_context *context, const struct segment_module *module,
		   uint64_t number)
{
	uint64_t tag = number << SEGMENT_KEY_MODULE_SHIFT;
	uint64_t tagged = SEGMENT_KEY_MODULE_MASK << SEGMENT_KEY_MODULE_SHIFT;

	for (uint32_t i = 2; i < context->node_next; i++) {
		uint64_t key = context->nodes[i].key;
		uint64_t address =
			segment_key_is_region(key) ? 0 : segment_key_address(key);

		if (address >= module->start && address < module->end && !(key & tagged))
			context->nodes[i].key = key | tag;
		key = context->call_sites[i].key;
		if (key >= module->start && key < module->end)
			context->call_sites[i].key = key | tag;
	}
	for (uint32_t i = 1; i < context->function_next; i++) {
		uint64_t key = context->functions[i].key;

		if (key >= module->start && key < module->end)
			context->functions[i].key = key | tag;
	}
	forget_sites(context);
}

/* The reverse: the object is mapped where it was. */
static void bring_back(struct lane_context *context, uint64_t number)
{
	uint64_t tag = number << SEGMENT_KEY_MODULE_SHIFT;
	uint64_t tagged = SEGMENT_KEY_MODULE_MASK << SEGMENT_KEY_MODULE_SHIFT;

	for (uint32_t i = 1; i < context->function_next; i++) {
		if ((context->functions[i].key & tagged) == tag)
			context->functions[i].key &= ~tagged;
	}
	for (uint32_t i = 2; i < context->node_next; i++) {
		if ((context->nodes[i].key & tagged) == tag)
			context->nodes[i].key &= ~tagged;
		if ((context->call_sites[i].key & tagged) == tag)
			context->call_sites[i].key &= ~tagged;
	}
}

/* The entry of an unloaded object that is the very one described in module, or 0: objects
 * without a build-id whose file is not known cannot be told apart. */
static uint32_t find_unloaded(const struct segment_module *module)
{
	if (!module->build_id_size && !module->inode)
		return 0;
	for (uint32_t i = process->segment->modules.count; i-- > 0;) {
		const struct segment_module *old = module_at(i);

		if (old->unload_ticks && old->start == module->start &&
		    old->end == module->end && old->bias == module->bias &&
		    old->build_id_size == module->build_id_size &&
		    !memcmp(old->build_id, module->build_id, sizeof(old->build_id)) &&
		    old->device == module->device && old->inode == module->inode &&
		    old->size_bytes == module->size_bytes &&
		    old->mtime_ns == module->mtime_ns && !strcmp(old->path, module->path))
			return i + 1;
	}
	return 0;
}

/* An object that comes and goes at one place is one entry, and has one set of nodes: a
 * program may load it a million times. Returns 1 when it has been here before. */
static int add_module(const struct dl_find_object *found)
{
	struct segment_module *place, module = {0};
	uint32_t number;

	fill_module(&module, found);
	number = find_unloaded(&module);
	if (number) {
		module_at(number - 1)->unload_ticks = 0;
		for (struct lane_context *lane = process->lanes; lane;
		     lane = lane->next_lane)
			bring_back(lane, number);
		modes_bring_back(number);
		return 1;
	}
	place = free_place();
	if (place) {
		*place = module;
		triggers_look(&module);
		symbols_look_for_headers(&module, found->dlfo_link_map->l_ld);
		arrays_publish(&process->segment->modules,
			       process->segment->modules.count + 1);
	}
	return 0;
}

/* For a table that is full: nodes of objects that are in no entry get the number of
 * none, so that what is mapped there next has nodes of its own. */
static void retire_unknown(struct lane_context *context)
{
	uint64_t tagged = SEGMENT_KEY_MODULE_MASK << SEGMENT_KEY_MODULE_SHIFT;
	struct dl_find_object found;

	for (uint32_t i = 2; i < context->node_next; i++) {
		uint64_t key = context->nodes[i].key;

		if (!(key & tagged) && !segment_key_is_region(key) &&
		    (_dl_find_object((void *)segment_key_address(key), &found) ||
		     !find_known(&found)))
			context->nodes[i].key = key | tagged;
	}
	for (uint32_t i = 1; i < context->function_next; i++) {
		uint64_t key = context->functions[i].key;

		if (!(key & tagged) && !segment_key_is_region(key) &&
		    (_dl_find_object((void *)key, &found) || !find_known(&found)))
			context->functions[i].key = key | tagged;
	}
	forget_sites(context);
}

/* Looks which objects have gone. Under the lock. */
static void find_gone(void)
{
	uint32_t count = process->segment->modules.count, gone = 0;
	struct lane_context *lane;
	struct dl_find_object found;

	for (uint32_t i = 0; i < count; i++) {
		struct segment_module *module = module_at(i);

		if (module->unload_ticks ||
		    (_dl_find_object((void *)module->start, &found) == 0 &&
		     is_object(module, &found)))
			continue;
		module->unload_ticks = clock_now();
		process_count(SEGMENT_COUNTER_UNLOADED_MODULES, 1);
		gone++;
		for (lane = process->lanes; lane; lane = lane->next_lane)
			retire(lane, module, i + 1);
		modes_retire(module->start, module->end, i + 1);
		waiters_forget(module->start, module->end);
		selected_retire(module->start, module->end);
	}
	if (count == process->segment->modules.capacity) {
		gone++;
		for (lane = process->lanes; lane; lane = lane->next_lane)
			retire_unknown(lane);
	}
	if (!gone)
		return;
	process->unload_count++; /* the lanes' remembered stacks are void */
	rules_forget();
}

static int note_module(uint64_t address)
{
	struct dl_find_object found;
	int came_back = 0;
	uint64_t mask;

	if (_dl_find_object((void *)address, &found) != 0 || find_known(&found) ||
	    !process_may_grow() || !process_lock(&mask))
		return 0;
	if (!find_known(&found)) {
		find_gone(); /* libc unloads its own modules without dlclose() */
		came_back = add_module(&found);
	}
	process_unlock(&mask);
	return came_back;
}

static void select_module(uint64_t address)
{
	struct dl_find_object found;
	struct segment_module *module;
	uint64_t mask;

	if (_dl_find_object((void *)address, &found) != 0)
		return;
	note_module(address);
	if (!process_may_grow() || !process_lock(&mask))
		return;
	module = find_known(&found);
	if (module && selected_find(address) == SELECTED_UNKNOWN)
		selection_decide(module);
	process_unlock(&mask);
}

void modules_unloaded(void)
{
	uint64_t mask;

	if (!process_is_ready() || !process_lock(&mask))
		return;
	find_gone();
	process_unlock(&mask);
}

void modules_begin(void)
{
	upcalls.note_module = note_module;
	upcalls.select_module = select_module;
	upcalls.check_modules = find_gone;
}
