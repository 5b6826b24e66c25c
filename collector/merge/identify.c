/* SPDX-License-Identifier: MIT */
/*
 * Addresses to functions, each address of a module looked up once. Must not read the
 * spool.
 */
#include "collector/merge/identify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

/* Inlined levels at one address that are kept; the innermost beyond it are left out. */
#define CHAIN_LIMIT 64

/* Kinds of keys in address_map and function_map, so that they do not meet. */
enum { KEY_ENTRY = 1, KEY_RETURN = 2, KEY_NOWHERE = 3, KEY_REGION = 4, KEY_NEAR = 5 };

/* How far off an exported function may be to give a hint. */
#define NEAR_BYTES 4096

int identify_init(struct identify *identify)
{
	*identify = (struct identify){.symbolizer = symbols_new()};
	return identify->symbolizer ? 0 : -ENOMEM;
}

void identify_done(struct identify *identify)
{
	for (size_t i = 0; i < identify->function_count; i++)
		free(identify->functions[i].owned_name);
	free(identify->modules);
	free(identify->functions);
	free(identify->places);
	map_done(&identify->module_map);
	map_done(&identify->function_map);
	map_done(&identify->address_map);
	symbols_free(identify->symbolizer);
	*identify = (struct identify){.symbolizer = NULL};
}

static uint64_t hash_bytes(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

static int is_same_module(const struct segment_module *a, const struct segment_module *b)
{
	return strcmp(a->path, b->path) == 0 && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, b->build_id_size) == 0 &&
	       a->device == b->device && a->inode == b->inode &&
	       a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns;
}

static int add_module(struct identify *identify, const struct segment_module *from)
{
	struct identify_module *modules =
		array_room(identify->modules, identify->module_count, sizeof(*modules));

	if (!modules)
		return -ENOMEM;
	identify->modules = modules;
	modules[identify->module_count++] = (struct identify_module){.from = from};
	return 0;
}

/* Two modules whose hashes of path and build-id meet are told apart by a number more. */
static int module_number(struct identify *identify, const struct segment_module *from,
			 uint32_t *ret)
{
	uint64_t path = hash_bytes(from->path, strlen(from->path));
	uint64_t build_id = hash_bytes(from->build_id, from->build_id_size);
	int result;

	for (uint64_t i = 0;; i++) {
		uint32_t number = map_get(&identify->module_map, path, build_id, i);

		if (number == MAP_NONE) {
			number = (uint32_t)identify->module_count;
			result = add_module(identify, from);
			if (result == 0)
				result = map_put(&identify->module_map, path, build_id, i,
						 number);
			*ret = number;
			return result;
		}
		if (is_same_module(identify->modules[number].from, from)) {
			*ret = number;
			return 0;
		}
	}
}

int identify_process_init(struct identify *identify, const struct read_process *process,
			  struct identify_process *ret)
{
	int result = 0;

	*ret = (struct identify_process){.process = process};
	ret->modules = calloc(process->module_count + 1u, sizeof(*ret->modules));
	if (!ret->modules)
		return -ENOMEM;
	for (uint32_t i = 0; i < process->module_count && result == 0; i++)
		result = module_number(identify, &process->modules[i], &ret->modules[i]);
	return result;
}

void identify_process_done(struct identify_process *process)
{
	free(process->modules);
	process->modules = NULL;
}

static int contains(const struct segment_module *module, uint64_t address)
{
	return address >= module->start && address < module->end;
}

/* A module's symbols, opened when first asked for: most modules never are. */
static int open_symbols(struct identify *identify, uint32_t number)
{
	struct identify_module *module = &identify->modules[number];
	const struct segment_module *from = module->from;
	struct symbol_file file = {
		.path = from->path,
		.build_id = from->build_id,
		.build_id_size = from->build_id_size,
		.device = from->device,
		.inode = from->inode,
		.size_bytes = from->size_bytes,
		.mtime_ns = from->mtime_ns,
	};

	if (!module->symbols)
		module->symbols = symbols_open(identify->symbolizer, &file);
	return module->symbols ? 0 : -ENOMEM;
}

static int is_vdso(const struct identify_module *module)
{
	return strcmp(module->from->path, "[vdso]") == 0;
}

const char *identify_trouble(const struct identify_module *module)
{
	if (!module->symbols || is_vdso(module))
		return NULL;
	return symbols_trouble(module->symbols);
}

/* Libraries that a package brought, whose symbols are in another package. */
static int is_system_library(const struct identify_module *module)
{
	static const char *const places[] = {"/lib/",	  "/lib32/",	 "/lib64/",
					     "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (strncmp(module->from->path, places[i], strlen(places[i])) == 0)
			return 1;
	}
	return is_vdso(module);
}

/* Index of the module of a key in the process, or IDENTIFY_NONE. Without a number in
 * the key the module is mapped still, or was when the process died; the youngest wins. */
static uint32_t find_module(struct identify_process *process, uint64_t key)
{
	const struct read_process *from = process->process;
	uint64_t address = key & SEGMENT_KEY_ADDRESS_MASK;
	uint32_t retired =
		(uint32_t)(key >> SEGMENT_KEY_MODULE_SHIFT & SEGMENT_KEY_MODULE_MASK);
	uint32_t unloaded = IDENTIFY_NONE;

	if (retired)
		return retired <= from->module_count ? retired - 1 : IDENTIFY_NONE;
	if (process->last < from->module_count &&
	    contains(&from->modules[process->last], address))
		return process->last;
	for (uint32_t i = from->module_count; i-- > 0;) {
		if (!contains(&from->modules[i], address))
			continue;
		if (!from->modules[i].unload_ticks) {
			process->last = i;
			return i;
		}
		if (unloaded == IDENTIFY_NONE)
			unloaded = i;
	}
	return unloaded;
}

/* Where the key's address lies: the module's number (IDENTIFY_NONE: none) and the
 * address in its file, or the plain address. */
static void locate(struct identify_process *process, uint64_t key, uint32_t *ret_module,
		   uint64_t *ret_address)
{
	uint32_t index = find_module(process, key);

	*ret_module = IDENTIFY_NONE;
	*ret_address = key & SEGMENT_KEY_ADDRESS_MASK;
	if (index == IDENTIFY_NONE)
		return;
	*ret_module = process->modules[index];
	*ret_address -= process->process->modules[index].bias;
}

static int add_function(struct identify *identify, const struct identify_function *from,
			uint32_t *ret)
{
	struct identify_function *functions = array_room(
		identify->functions, identify->function_count, sizeof(*functions));

	if (!functions)
		return -ENOMEM;
	identify->functions = functions;
	*ret = (uint32_t)identify->function_count++;
	functions[*ret] = *from;
	return 0;
}

static const char *base_name(const struct identify *identify, uint32_t module)
{
	const char *path =
		module == IDENTIFY_NONE ? "" : identify->modules[module].from->path;
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return *base ? base : "unknown module";
}

/* Takes over function->owned_name, which is its name. */
static int add_owned(struct identify *identify, struct identify_function *function,
		     uint32_t *ret)
{
	int result;

	function->name = function->owned_name;
	result = add_function(identify, function, ret);
	if (result < 0)
		free(function->owned_name);
	return result;
}

/* Where in one of the system's libraries the address lies. */
static int add_near(struct identify *identify, uint32_t module, uint64_t address,
		    uint32_t *ret)
{
	struct identify_function function = {.module = module, .naming = IDENTIFY_NEAR};
	struct symbol_module *symbols = identify->modules[module].symbols;
	const char *base = base_name(identify, module);
	struct symbol near;
	uint64_t hash;
	int result;

	if (is_vdso(&identify->modules[module]))
		result = asprintf(&function.owned_name, "%s", base);
	else if (symbols_near(symbols, address, NEAR_BYTES, &near) == 0)
		result = asprintf(&function.owned_name, "[near %s in %s]", near.name,
				  base);
	else
		result = asprintf(&function.owned_name, "[in %s]", base);
	if (result < 0)
		return -ENOMEM;
	hash = hash_bytes(function.owned_name, strlen(function.owned_name));
	*ret = map_get(&identify->address_map, module, hash, KEY_NEAR);
	if (*ret != MAP_NONE) {
		free(function.owned_name);
		return 0;
	}
	result = add_owned(identify, &function, ret);
	if (result < 0)
		return result;
	return map_put(&identify->address_map, module, hash, KEY_NEAR, *ret);
}

/* A function without a name is called 0x1234 (libfoo.so), so that its name can be found
 * later, with addr2line; in one of the system's libraries nobody will. */
static int add_unnamed(struct identify *identify, uint32_t module, uint64_t address,
		       uint32_t *ret)
{
	struct identify_function function = {.module = module};

	if (module != IDENTIFY_NONE && is_system_library(&identify->modules[module]) &&
	    !identify_trouble(&identify->modules[module]))
		return add_near(identify, module, address, ret);
	if (asprintf(&function.owned_name, "0x%llx (%s)", (unsigned long long)address,
		     base_name(identify, module)) < 0)
		return -ENOMEM;
	return add_owned(identify, &function, ret);
}

/* The function that a symbol stands for. entry: its address, 0 when only a place in it
 * is known; then line is not that of its definition. */
static int named_function(struct identify *identify, uint32_t module,
			  const struct symbol *symbol, uint64_t entry, uint32_t *ret)
{
	const char *linkage = symbol->linkage_name ? symbol->linkage_name : symbol->name;
	struct identify_function function = {
		.name = symbol->name,
		.linkage_name = symbol->linkage_name,
		.file = symbol->file,
		.line = entry ? symbol->line : 0,
		.module = module,
		.naming = IDENTIFY_EXACT,
	};
	uint64_t place = symbol->file ? (uintptr_t)symbol->file : 0;
	int result;

	*ret = map_get(&identify->function_map, module, (uintptr_t)linkage, place);
	/* functions of one name without a file are one only when their entries are */
	if (*ret != MAP_NONE && (symbol->file || !entry)) {
		if (entry && !identify->functions[*ret].line)
			identify->functions[*ret].line = symbol->line;
		return 0;
	}
	if (*ret != MAP_NONE)
		return add_function(identify, &function, ret);
	result = add_function(identify, &function, ret);
	if (result < 0)
		return result;
	return map_put(&identify->function_map, module, (uintptr_t)linkage, place, *ret);
}

/* A region's name is in the process's file; a damaged number has none. Those for which
 * there was no room are there as SEGMENT_NAME_MORE, unless there was none for the table.
 */
static int identify_region(struct identify *identify,
			   const struct identify_process *process, uint64_t key,
			   uint32_t *ret)
{
	const struct read_process *from = process->process;
	uint64_t index = key & SEGMENT_KEY_ADDRESS_MASK & ~SEGMENT_KEY_REGION;
	struct identify_function function = {
		.name = "[unknown region]", .component = "", .module = IDENTIFY_NONE};
	uint64_t component, name;
	int result;

	if (index && index < from->name_count) {
		function.name = from->names[index].name;
		function.component = from->names[index].component;
		function.naming = IDENTIFY_EXACT;
	} else if (index == SEGMENT_NAME_MORE) {
		function.name = "[more regions]";
		function.naming = IDENTIFY_EXACT;
	}
	component = hash_bytes(function.component, strlen(function.component));
	name = hash_bytes(function.name, strlen(function.name));
	*ret = map_get(&identify->address_map, component, name, KEY_REGION);
	if (*ret != MAP_NONE)
		return 0;
	result = add_function(identify, &function, ret);
	if (result < 0)
		return result;
	return map_put(&identify->address_map, component, name, KEY_REGION, *ret);
}

int identify_function(struct identify *identify, struct identify_process *process,
		      uint64_t key, uint32_t *ret)
{
	struct symbol symbol = {.name = NULL};
	uint64_t address;
	uint32_t module;
	int result;

	if (segment_key_is_region(key))
		return identify_region(identify, process, key, ret);
	locate(process, key, &module, &address);
	*ret = map_get(&identify->address_map, module, address, KEY_ENTRY);
	if (*ret != MAP_NONE)
		return 0;
	if (module != IDENTIFY_NONE && open_symbols(identify, module) < 0)
		return -ENOMEM;
	if (module != IDENTIFY_NONE &&
	    symbols_function(identify->modules[module].symbols, address, &symbol) == 0 &&
	    symbol.name)
		result = named_function(identify, module, &symbol, address, ret);
	else
		result = add_unnamed(identify, module, address, ret);
	if (result < 0)
		return result;
	return map_put(&identify->address_map, module, address, KEY_ENTRY, *ret);
}

static int add_place(struct identify *identify, struct identify_place place)
{
	struct identify_place *places =
		array_room(identify->places, identify->place_count, sizeof(*places));

	if (!places)
		return -ENOMEM;
	identify->places = places;
	places[identify->place_count++] = place;
	return 0;
}

static int add_chain(struct identify *identify, uint32_t module, uint64_t address)
{
	struct symbol symbols[CHAIN_LIMIT];
	int count = -ENOENT, result = 0;
	size_t first = identify->place_count;

	if (module != IDENTIFY_NONE && open_symbols(identify, module) < 0)
		return -ENOMEM;
	if (module != IDENTIFY_NONE)
		count = symbols_frames(identify->modules[module].symbols, address,
				       symbols, CHAIN_LIMIT);
	for (int i = 0; i < count && result == 0; i++) {
		struct identify_place place = {0, symbols[i].line, symbols[i].file, 0};

		if (symbols[i].name)
			result = named_function(identify, module, &symbols[i], 0,
						&place.function);
		else
			result = add_unnamed(identify, module, address, &place.function);
		if (result == 0)
			result = add_place(identify, place);
	}
	if (count <= 0) {
		struct identify_place place = {.line = 0};

		result = add_unnamed(identify, module, address, &place.function);
		if (result == 0)
			result = add_place(identify, place);
	}
	if (result == 0)
		identify->places[first].chain_count =
			(uint32_t)(identify->place_count - first);
	return result;
}

int identify_places(struct identify *identify, struct identify_process *process,
		    uint64_t key, uint32_t *ret_first, uint32_t *ret_count)
{
	uint64_t address;
	uint32_t module;
	int result;

	locate(process, key, &module, &address);
	*ret_first = map_get(&identify->address_map, module, address, KEY_RETURN);
	if (*ret_first == MAP_NONE) {
		*ret_first = (uint32_t)identify->place_count;
		result = add_chain(identify, module, address);
		if (result == 0)
			result = map_put(&identify->address_map, module, address,
					 KEY_RETURN, *ret_first);
		if (result < 0)
			return result;
	}
	*ret_count = identify->places[*ret_first].chain_count;
	return 0;
}

int identify_nowhere(struct identify *identify, uint32_t *ret)
{
	struct identify_function function = {.name = "[outside of any function]",
					     .module = IDENTIFY_NONE,
					     .naming = IDENTIFY_EXACT};
	int result;

	*ret = map_get(&identify->address_map, 0, 0, KEY_NOWHERE);
	if (*ret != MAP_NONE)
		return 0;
	result = add_function(identify, &function, ret);
	if (result < 0)
		return result;
	return map_put(&identify->address_map, 0, 0, KEY_NOWHERE, *ret);
}
