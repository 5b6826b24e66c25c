/* SPDX-License-Identifier: MIT */
/*
 * Maps addresses to functions, looking up each address once. Must not read the spool.
 */
#include "collector/merge/identify.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"
#include "collector/symbols/symbols.h"
#include "collector/symbols/symbol.h"
#include "common/base/map.h"

/* Inlined levels kept for one address. What is inlined deeper is left out. */
#define CHAIN_LIMIT 64

/* Kinds of keys in the address map, which keep them apart. */
enum {
	KEY_ENTRY = 1,
	KEY_RETURN = 2,
	KEY_NOWHERE = 3,
	KEY_REGION = 4,
	KEY_NEAR = 5,
	KEY_LIBC = 6,
	KEY_VARIANT = 7,
	KEY_LINKAGE = 8,
	KEY_UNSEEN = 9
};

/* How far away an exported function may be and still serve as a hint. */
#define NEAR_BYTES 4096

void identify_init(struct identify *identify, const char *library, const char *executable)
{
	library_init(&identify->library, library, executable);
	modules_init(&identify->modules);
}

void identify_done(struct identify *identify)
{
	for (size_t i = 0; i < identify->function_count; i++)
		free(identify->functions[i].owned_name);
	free(identify->functions);
	free(identify->places);
	map_done(&identify->function_map);
	map_done(&identify->address_map);
	modules_done(&identify->modules);
	library_done(&identify->library);
	*identify = (struct identify){.function_count = 0};
}

static uint32_t add_function(struct identify *identify,
			     const struct identify_function *from)
{
	uint32_t function = (uint32_t)identify->function_count;

	ARRAY_ADD(identify->functions, identify->function_count) = *from;
	identify->functions[function].is_library = library_has(
		&identify->library,
		&(struct library_function){
			from->name, from->file,
			from->module == MODULE_NONE
				? NULL
				: identify->modules.all[from->module].from->path});
	return function;
}

/* The function with this key, added when it is new. */
static uint32_t once(struct identify *identify, uint64_t a, uint64_t b, uint64_t kind,
		     const struct identify_function *from)
{
	uint32_t known = map_get(&identify->address_map, a, b, kind);

	if (known == MAP_NONE) {
		known = add_function(identify, from);
		map_put(&identify->address_map, a, b, kind, known);
	}
	return known;
}

static const char *base_name(const struct identify *identify, uint32_t module)
{
	const char *path =
		module == MODULE_NONE ? "" : identify->modules.all[module].from->path;
	const char *base = basename(path);

	return *base ? base : "unknown module";
}

/* Adds a function and takes ownership of the name. */
static uint32_t add_owned(struct identify *identify, uint32_t module, char *name,
			  enum identify_naming naming)
{
	struct identify_function function = {
		.name = name, .owned_name = name, .module = module, .naming = naming};

	return add_function(identify, &function);
}

/* Adds "[near NAME in LIBRARY]" for an address in a stripped system library. */
static uint32_t add_near(struct identify *identify, uint32_t number, uint64_t address)
{
	struct module *module = &identify->modules.all[number];
	const char *base = base_name(identify, number);
	struct symbol near;
	uint32_t function;
	uint64_t hash;
	char *name;

	if (module_is_vdso(module))
		name = xstrdup(base);
	else if (symbols_near(module->symbols, address, NEAR_BYTES, &near) == 0)
		name = xasprintf("[near %s in %s]", near.name, base);
	else
		name = xasprintf("[in %s]", base);
	hash = hash_text(name);
	function = map_get(&identify->address_map, number, hash, KEY_NEAR);
	if (function != MAP_NONE) {
		free(name);
		return function;
	}
	function = add_owned(identify, number, name, IDENTIFY_NEAR);
	map_put(&identify->address_map, number, hash, KEY_NEAR, function);
	return function;
}

/* A function without a name is called 0x1234 (libfoo.so), so that addr2line can find its
 * name later. For a system library nobody will, so a neighbour's name serves. */
static uint32_t add_unnamed(struct identify *identify, uint32_t module, uint64_t address)
{
	if (module != MODULE_NONE &&
	    module_is_system_library(&identify->modules.all[module]) &&
	    !module_trouble(&identify->modules.all[module]))
		return add_near(identify, module, address);
	return add_owned(identify, module,
			 xasprintf("0x%llx (%s)", (unsigned long long)address,
				   base_name(identify, module)),
			 IDENTIFY_UNNAMED);
}

/* An unnamed or file-local type may have namesakes in other files. */
static bool is_of_one_file(const char *linkage_name)
{
	return strstr(linkage_name, "_GLOBAL__N_") || strstr(linkage_name, "ZL");
}

/* Decides whether a symbol without a source file is the function already known by that
 * name. It is when no other entry address has had the linkage name, and they are copies
 * or variants of one function. A place inside a function may be known before its
 * entry. */
static bool is_same(struct identify *identify, uint32_t module,
		    const struct identify_function *known, const struct symbol *symbol,
		    uint64_t entry)
{
	uintptr_t name = (uintptr_t)symbol->linkage_name;

	if (symbol->file || !entry)
		return true;
	if (map_get(&identify->address_map, module, name, KEY_LINKAGE) != MAP_NONE)
		return false;
	return known->linkage_name == symbol->linkage_name || !symbol->variant ||
	       !is_of_one_file(symbol->linkage_name);
}

static void note_entry(struct identify *identify, uint32_t module,
		       const struct symbol *symbol, uint64_t entry, uint32_t function)
{
	if (entry && !symbol->file)
		map_put(&identify->address_map, module, (uintptr_t)symbol->linkage_name,
			KEY_LINKAGE, function);
}

/* Keeps the linkage name of one variant, the same in each run: preferably the one for
 * whole objects, least the deleting one. */
static void note_variant(struct identify_function *function, const struct symbol *symbol)
{
	int is_better = function->variant == DEMANGLE_MEMORY
				? symbol->variant > DEMANGLE_MEMORY
				: symbol->variant > DEMANGLE_MEMORY &&
					  symbol->variant < function->variant;

	if (!is_better)
		return;
	function->variant = symbol->variant;
	function->linkage_name = symbol->linkage_name;
}

/* The function that a symbol stands for. entry: its address; 0 when only a place inside
 * it is known, and then line is not that of its definition. */
static uint32_t named_function(struct identify *identify, uint32_t module,
			       const struct symbol *symbol, uint64_t entry)
{
	const char *identity = symbol->identity ? symbol->identity : symbol->name;
	const char *file = symbol->own_file ? symbol->own_file : symbol->file;
	struct identify_function function = {
		.name = symbol->name,
		.linkage_name = symbol->linkage_name,
		.file = file,
		.line = entry ? symbol->line : 0,
		.module = module,
		.naming = IDENTIFY_EXACT,
		.variant = symbol->variant,
	};
	uint64_t place = (uintptr_t)file;
	uint32_t known =
		map_get(&identify->function_map, module, (uintptr_t)identity, place);

	if (known != MAP_NONE &&
	    is_same(identify, module, &identify->functions[known], symbol, entry)) {
		note_entry(identify, module, symbol, entry, known);
		if (entry && !identify->functions[known].line)
			identify->functions[known].line = symbol->line;
		note_variant(&identify->functions[known], symbol);
		return known;
	}
	if (known != MAP_NONE)
		return add_function(identify, &function);
	known = add_function(identify, &function);
	note_entry(identify, module, symbol, entry, known);
	map_put(&identify->function_map, module, (uintptr_t)identity, place, known);
	return known;
}

/* A region's name is in the process's file; a damaged number has none. Regions for which
 * the table had no room share SEGMENT_NAME_MORE. */
static uint32_t identify_region(struct identify *identify,
				const struct read_process *from, uint64_t key)
{
	uint64_t index = key & SEGMENT_KEY_ADDRESS_MASK & ~SEGMENT_KEY_REGION;
	struct identify_function function = {
		.name = "[unknown region]", .component = "", .module = MODULE_NONE};

	if (index && index < from->name_count) {
		function.name = from->names[index].name;
		function.component = from->names[index].component;
		function.naming = IDENTIFY_EXACT;
	} else if (index == SEGMENT_NAME_MORE) {
		function.name = "[more regions]";
		function.naming = IDENTIFY_EXACT;
	}
	return once(identify, hash_text(function.component), hash_text(function.name),
		    KEY_REGION, &function);
}

static const struct {
	const char *name;
	enum libc_call_kind kind;
} libc_calls[LIBC_CALL_COUNT] = {
	[LIBC_CALL_NONE] = {"[unknown call of libc]", LIBC_CALL_WAIT},
#define LIBC_CALL_ROW(name, kind, purpose, operation)                                    \
	[LIBC_CALL_##name] = {#name, LIBC_CALL_##kind},
	LIBC_CALLS(LIBC_CALL_ROW)
#undef LIBC_CALL_ROW
};

/* The number of the libc call; LIBC_CALL_NONE for a damaged one. */
static uint64_t libc_call_number(uint64_t key)
{
	uint64_t number = key & SEGMENT_KEY_ADDRESS_MASK & ~SEGMENT_KEY_LIBC;

	return number < LIBC_CALL_COUNT ? number : LIBC_CALL_NONE;
}

enum libc_call_kind identify_libc_kind(uint64_t key)
{
	return libc_calls[libc_call_number(key)].kind;
}

static uint32_t identify_libc_call(struct identify *identify, uint64_t key)
{
	uint64_t number = libc_call_number(key);

	return once(identify, number, 0, KEY_LIBC,
		    &(struct identify_function){.name = libc_calls[number].name,
						.module = MODULE_NONE,
						.naming = IDENTIFY_EXACT});
}

void identify_wish(struct identify *identify, struct module_list *list, uint64_t key)
{
	bool is_return = (key & SEGMENT_KEY_RETURN_ADDRESS) != 0;
	uint64_t address;
	uint32_t module;

	if (!key || segment_key_is_region(key))
		return;
	module = modules_locate(list, key, &address);
	if (module == MODULE_NONE)
		return;
	if (is_return)
		symbols_wish_frames(modules_symbols(&identify->modules, module), address);
	else
		symbols_wish_function(modules_symbols(&identify->modules, module),
				      address);
}

uint32_t identify_function(struct identify *identify, struct module_list *list,
			   uint64_t key)
{
	struct symbol symbol = {.name = NULL};
	uint64_t address;
	uint32_t module, function;

	if (segment_key_is_libc(key))
		return identify_libc_call(identify, key);
	if (segment_key_is_region(key))
		return identify_region(identify, list->process, key);
	module = modules_locate(list, key, &address);
	function = map_get(&identify->address_map, module, address, KEY_ENTRY);
	if (function != MAP_NONE)
		return function;
	if (module != MODULE_NONE &&
	    symbols_function(modules_symbols(&identify->modules, module), address,
			     &symbol) == 0 &&
	    symbol.name)
		function = named_function(identify, module, &symbol, address);
	else
		function = add_unnamed(identify, module, address);
	map_put(&identify->address_map, module, address, KEY_ENTRY, function);
	if (symbol.variant)
		map_put(&identify->address_map, module, address, KEY_VARIANT,
			symbol.variant);
	return function;
}

uint32_t identify_known(const struct identify *identify, uint32_t module,
			uint64_t address)
{
	_Static_assert(IDENTIFY_NONE == MAP_NONE, "what is not in the map is no place");
	return map_get(&identify->address_map, module, address, KEY_ENTRY);
}

enum demangle_variant identify_variant(const struct identify *identify,
				       struct module_list *list, uint64_t key)
{
	uint64_t address;
	uint32_t module = modules_locate(list, key, &address);
	uint32_t variant = map_get(&identify->address_map, module, address, KEY_VARIANT);

	return variant == MAP_NONE ? DEMANGLE_ONLY : (enum demangle_variant)variant;
}

static void add_place(struct identify *identify, struct identify_place place)
{
	ARRAY_ADD(identify->places, identify->place_count) = place;
}

static void add_chain(struct identify *identify, uint32_t module, uint64_t address)
{
	struct symbol symbols[CHAIN_LIMIT];
	size_t first = identify->place_count;
	int count = 0;

	if (module != MODULE_NONE)
		count = symbols_frames(modules_symbols(&identify->modules, module),
				       address, symbols, CHAIN_LIMIT);
	for (int i = 0; i < count; i++)
		add_place(
			identify,
			(struct identify_place){
				symbols[i].name
					? named_function(identify, module, &symbols[i], 0)
					: add_unnamed(identify, module, address),
				symbols[i].line, symbols[i].file, 0, symbols[i].is_part,
				symbols[i].variant});
	if (count <= 0)
		add_place(identify,
			  (struct identify_place){
				  .function = add_unnamed(identify, module, address)});
	identify->places[first].chain_count = (uint32_t)(identify->place_count - first);
}

uint32_t identify_places(struct identify *identify, struct module_list *list,
			 uint64_t key, uint32_t *ret_count)
{
	uint64_t address;
	uint32_t module = modules_locate(list, key, &address);
	uint32_t first = map_get(&identify->address_map, module, address, KEY_RETURN);

	if (first == MAP_NONE) {
		first = (uint32_t)identify->place_count;
		add_chain(identify, module, address);
		map_put(&identify->address_map, module, address, KEY_RETURN, first);
	}
	*ret_count = identify->places[first].chain_count;
	return first;
}

uint32_t identify_nowhere(struct identify *identify)
{
	return once(identify, 0, 0, KEY_NOWHERE,
		    &(struct identify_function){.name = "[outside of any function]",
						.module = MODULE_NONE,
						.naming = IDENTIFY_EXACT});
}

uint32_t identify_unseen(struct identify *identify)
{
	return once(identify, 0, 0, KEY_UNSEEN,
		    &(struct identify_function){.name = "[caller not seen]",
						.module = MODULE_NONE,
						.naming = IDENTIFY_EXACT});
}
