/* SPDX-License-Identifier: MIT */
/*
 * Lists the modules of all processes, each once, and finds the one that an address is in.
 * Must not read the spool.
 */
#include "collector/merge/modules.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/symbols/symbols.h"
#include "common/base/xalloc.h"

void modules_init(struct modules *modules)
{
	*modules = (struct modules){.symbolizer = symbols_new()};
}

void modules_done(struct modules *modules)
{
	free(modules->all);
	map_done(&modules->map);
	symbols_free(modules->symbolizer);
}

static uint32_t module_number(struct modules *modules, const struct segment_module *from)
{
	bool is_new;
	uint32_t number = map_number(&modules->map, (uintptr_t)from, 0, 0, &is_new);

	if (is_new)
		ARRAY_ADD(modules->all, modules->count) = (struct module){.from = from};
	return number;
}

void modules_list(struct modules *modules, struct pool *pool,
		  const struct read_process *process, struct module_list *ret)
{
	*ret = (struct module_list){.process = process};
	ret->numbers = pool_array(pool, process->module_count, sizeof(*ret->numbers));
	for (uint32_t i = 0; i < process->module_count; i++)
		ret->numbers[i] = module_number(modules, process->modules[i].file);
}

struct symbol_module *modules_symbols(struct modules *modules, uint32_t number)
{
	struct module *module = &modules->all[number];

	if (!module->symbols)
		module->symbols = symbols_open(modules->symbolizer, module->from);
	return module->symbols;
}

int module_is_vdso(const struct module *module)
{
	return strcmp(module->from->path, "[vdso]") == 0;
}

const char *module_trouble(const struct module *module)
{
	if (!module->symbols || module_is_vdso(module))
		return NULL;
	return symbols_trouble(module->symbols);
}

int module_is_system_library(const struct module *module)
{
	static const char *const places[] = {"/lib/",	  "/lib32/",	 "/lib64/",
					     "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (strncmp(module->from->path, places[i], strlen(places[i])) == 0)
			return 1;
	}
	return module_is_vdso(module);
}

static int contains(const struct read_module *module, uint64_t address)
{
	return address >= module->start && address < module->end;
}

/* Index of the module that a key's address is in, or MODULE_NONE. A key without a module
 * number is looked up among the modules mapped at the end; the youngest wins. */
static uint32_t find_module(struct module_list *list, uint64_t key)
{
	const struct read_process *from = list->process;
	uint64_t address = segment_key_address(key);
	uint32_t retired =
		(uint32_t)(key >> SEGMENT_KEY_MODULE_SHIFT & SEGMENT_KEY_MODULE_MASK);
	uint32_t unloaded = MODULE_NONE;

	if (retired)
		return retired <= from->module_count ? retired - 1 : MODULE_NONE;
	if (list->last < from->module_count &&
	    contains(&from->modules[list->last], address))
		return list->last;
	for (uint32_t i = from->module_count; i-- > 0;) {
		if (!contains(&from->modules[i], address))
			continue;
		if (!from->modules[i].unload_ticks) {
			list->last = i;
			return i;
		}
		if (unloaded == MODULE_NONE)
			unloaded = i;
	}
	return unloaded;
}

uint32_t modules_locate(struct module_list *list, uint64_t key, uint64_t *ret_address)
{
	uint32_t index = find_module(list, key);

	*ret_address = segment_key_address(key);
	if (index == MODULE_NONE)
		return MODULE_NONE;
	*ret_address -= list->process->modules[index].bias;
	return list->numbers[index];
}
