/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the process's table of mapped objects, for those addresses that were
 *                recorded. Filled when a new function or return address turns up.
 * Runs on:       traced threads, any context (slow path of the tree).
 * Must not:      take the loader's lock: _dl_find_object (glibc 2.35) does not.
 * See also:      struct segment_module
 *
 * Two threads may enter the same object at the same time; readers merge equal modules.
 * An entry counts when its `end` is set, which is stored last.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "shim/boot/boot.h"
#include "shim/hot/clock.h"
#include "shim/hot/process.h"
#include "shim/hot/tree.h"

static struct segment_module *module_at(uint32_t index)
{
	return (struct segment_module *)((char *)process->segment +
					 process->segment->module_offset) +
	       index;
}

static int is_known(uint64_t address)
{
	/* acquire: pairs with the release in add_module() */
	uint32_t count =
		__atomic_load_n(&process->segment->module_count, __ATOMIC_ACQUIRE);

	if (count > process->segment->module_capacity)
		count = process->segment->module_capacity;
	for (uint32_t i = count; i-- > 0;) {
		const struct segment_module *module = module_at(i);

		if (address >= module->start && address < module->end &&
		    !module->unload_ticks)
			return 1;
	}
	return 0;
}

static void copy_build_id(struct segment_module *module, const char *notes, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = (note->n_namesz + 3u) & ~3u,
		       data = (note->n_descsz + 3u) & ~3u;

		if (sizeof(*note) + name + data > size)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4) &&
		    note->n_descsz <= sizeof(module->build_id)) {
			module->build_id_size = note->n_descsz;
			memcpy(module->build_id, (const char *)(note + 1) + name,
			       note->n_descsz);
			return;
		}
		notes += sizeof(*note) + name + data;
		size -= sizeof(*note) + name + data;
	}
}

/* The ELF header is at the start of the object's first mapping. */
static void read_build_id(struct segment_module *module, const char *start, uint64_t bias)
{
	const ElfW(Ehdr) *header = (const void *)start;
	const ElfW(Phdr) * program;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_phoff + header->e_phnum * sizeof(*program) > 4096)
		return;
	program = (const void *)(start + header->e_phoff);
	for (unsigned int i = 0; i < header->e_phnum && !module->build_id_size; i++) {
		uint64_t at = bias + program[i].p_vaddr;

		if (program[i].p_type == PT_NOTE && at >= module->start &&
		    at + program[i].p_memsz <= module->end)
			copy_build_id(module, (const char *)at, program[i].p_memsz);
	}
}

static void add_module(const struct dl_find_object *found)
{
	struct segment_process *segment = process->segment;
	const struct link_map *map = found->dlfo_link_map;
	struct segment_module *module;
	uint32_t index = segment->module_count;
	const char *name;
	size_t length;

	if (index >= segment->module_capacity ||
	    process_commit(segment, process->slot,
			   segment->module_offset + index * sizeof(*module),
			   sizeof(*module)) < 0)
		return;
	module = module_at(index);
	module->start = (uint64_t)found->dlfo_map_start;
	module->bias = map->l_addr;
	module->load_ticks = clock_now();
	/* the loader knows the program itself by an empty name */
	name = map->l_name[0] ? map->l_name : segment->executable;
	length = strlen(name);
	if (length < sizeof(module->path))
		memcpy(module->path, name, length + 1);
	module->end = (uint64_t)found->dlfo_map_end;
	read_build_id(module, found->dlfo_map_start, map->l_addr);
	/* release: pairs with the acquire of readers and of is_known() */
	__atomic_store_n(&segment->module_count, index + 1, __ATOMIC_RELEASE);
}

void boot_note_module(uint64_t address)
{
	struct dl_find_object found;
	uint64_t mask;

	if (is_known(address) || _dl_find_object((void *)address, &found) != 0)
		return;
	process_lock(&mask);
	if (!is_known(address))
		add_module(&found);
	process_unlock(&mask);
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
		uint64_t address = key & SEGMENT_KEY_ADDRESS_MASK;

		if (address >= module->start && address < module->end && !(key & tagged))
			context->nodes[i].key = key | tag;
	}
	for (uint32_t i = 1; i < context->function_next; i++) {
		uint64_t key = context->functions[i].key;

		if (key >= module->start && key < module->end)
			context->functions[i].key = key | tag;
	}
}

void modules_unloaded(void)
{
	struct dl_find_object found;
	uint32_t count;
	uint64_t mask;

	if (!process_is_ready())
		return;
	process_lock(&mask);
	count = process->segment->module_count;
	for (uint32_t i = 0; i < count; i++) {
		struct segment_module *module = module_at(i);

		if (module->unload_ticks ||
		    (_dl_find_object((void *)module->start, &found) == 0 &&
		     (uint64_t)found.dlfo_map_start == module->start))
			continue;
		module->unload_ticks = clock_now();
		process_count(SEGMENT_COUNTER_UNLOADED_MODULES, 1);
		process->unload_count++; /* the lanes' remembered stacks are void */
		for (struct lane_context *lane = process->lanes; lane;
		     lane = lane->next_lane)
			retire(lane, module, i + 1);
	}
	process_unlock(&mask);
}
