/* SPDX-License-Identifier: MIT */
/*
 * The symbolizer: the answers put together from symbol table and DWARF. Must not read
 * more of a file than a question needs; somebody waits.
 */
#include "collector/symbols/symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/names/cxx_name.h"
#include "common/base/xalloc.h"
#include "collector/symbols/demangle.h"
#include "collector/symbols/module.h"
#include "collector/symbols/strings.h"

#define FRAMES_MAX 256
#define NAME_LIMIT 16384

struct symbolizer *symbols_new(void)
{
	struct symbolizer *symbolizer = xcalloc(1, sizeof(*symbolizer));

	symbolizer->budget = BUDGET_RUN;
	symbolizer->strings = strings_new();
	(void)unsetenv("DEBUGINFOD_URLS");
	return symbolizer;
}

static void close_modules(struct symbolizer *symbolizer)
{
	struct symbol_module *module, *next;

	for (module = symbolizer->modules; module; module = next) {
		next = module->next;
		symbol_module_free(module);
	}
	symbolizer->modules = NULL;
	strings_free(symbolizer->strings);
	symbolizer->strings = NULL;
}

void symbols_free(struct symbolizer *symbolizer)
{
	if (symbolizer)
		close_modules(symbolizer);
	free(symbolizer);
}

void symbols_forget(struct symbolizer *symbolizer)
{
	close_modules(symbolizer);
	symbolizer->strings = strings_new();
	symbolizer->budget.memory_bytes = BUDGET_RUN.memory_bytes;
}

static bool is_same_file(const struct symbol_file *a, const struct symbol_file *b)
{
	if (strcmp(a->path, b->path) != 0 || a->build_id_size != b->build_id_size)
		return false;
	if (a->build_id_size)
		return memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
	return a->device == b->device && a->inode == b->inode &&
	       a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns;
}

struct symbol_module *symbols_open(struct symbolizer *symbolizer,
				   const struct symbol_file *file)
{
	struct symbol_file wanted = *file;
	struct symbol_module *module;

	if (wanted.build_id_size > BUILD_ID_MAX)
		wanted.build_id_size = BUILD_ID_MAX;
	for (module = symbolizer->modules; module; module = module->next)
		if (is_same_file(&module->wanted, &wanted))
			return module;
	module = symbol_module_new(symbolizer, &wanted);
	symbol_module_read(module);
	module->next = symbolizer->modules;
	symbolizer->modules = module;
	return module;
}

const char *symbols_source(const struct symbol_module *module)
{
	return module->source;
}

const char *symbols_trouble(const struct symbol_module *module)
{
	return module->budget.is_over ? SYMBOLS_LIMIT : module->trouble;
}

/* The length of the name without "@VERSION" and, if asked, without the mark of the part
 * that the compiler moved out of the way (".cold", ".cold.5"). */
static size_t name_length(const char *name, bool drop_cold)
{
	size_t whole = strnlen(name, NAME_LIMIT), length;
	const char *cold;

	if (whole == NAME_LIMIT)
		return NAME_LIMIT;
	length = strcspn(name, "@");
	if (!length)
		return whole;
	cold = drop_cold ? strstr(name, ".cold") : NULL;
	if (cold && cold > name && cold[5 + strspn(cold + 5, ".0123456789")] == '\0')
		return (size_t)(cold - name);
	return length;
}

/* Fortran's procedures outside of modules have an underscore more than in the source. */
static bool is_fortran_name(const char *linkage_name, const char *source_name)
{
	size_t length = strlen(linkage_name);

	return source_name && length > 1 && linkage_name[length - 1] == '_' &&
	       strncmp(linkage_name, source_name, length - 1) == 0 &&
	       source_name[length - 1] == '\0';
}

/* What the compiler made several functions of is told by one name. */
static void name_symbol(struct strings *strings, struct symbol *symbol)
{
	const char *linkage = symbol->linkage_name;
	const char *stem = strings_keep(strings, linkage, cxx_name_stem(linkage));

	if (!stem)
		return;
	symbol->identity = stem;
	symbol->name = strings_readable(strings, stem);
	if (!symbol->name || symbol->name == stem)
		return;
	symbol->variant = demangle_variant(stem);
	if (symbol->variant)
		symbol->identity = symbol->name;
}

static void fill_symbol(struct symbol_module *module, const char *name, size_t length,
			const struct debug_scope *frame, struct symbol *ret)
{
	struct strings *strings = module->symbolizer->strings;

	*ret = (struct symbol){.file = frame->place.file, .line = frame->place.line};
	if (name && length < NAME_LIMIT)
		ret->linkage_name = strings_keep(strings, name, length);
	if (!ret->linkage_name)
		return;
	ret->identity = ret->linkage_name;
	if (is_fortran_name(ret->linkage_name, frame->source_name))
		ret->name = strings_keep(strings, frame->source_name, length - 1);
	else
		name_symbol(strings, ret);
}

int symbols_function(struct symbol_module *module, uint64_t address, struct symbol *ret)
{
	const struct symbol_entry *entry = symbol_table_at(&module->table, address);
	struct debug_scope frame = {.name = NULL};
	struct debug_info *info;
	const char *name;

	if (address < module->low || address >= module->high)
		return -ENOENT;
	info = symbol_module_info(module);
	if (info)
		(void)debug_info_function(info, address, &frame);
	name = entry ? entry->name : frame.name;
	if (!name)
		return -ENOENT;
	fill_symbol(module, name, name_length(name, false), &frame, ret);
	return 0;
}

int symbols_variable(struct symbol_module *module, uint64_t address, struct symbol *ret,
		     uint64_t *ret_offset)
{
	const struct debug_scope nowhere = {.name = NULL};
	const struct symbol_entry *entry;

	if (!module->has_variables)
		symbol_module_read_variables(module);
	entry = symbol_table_around(&module->variables, address);
	if (!entry)
		return -ENOENT;
	fill_symbol(module, entry->name, name_length(entry->name, false), &nowhere, ret);
	*ret_offset = address - entry->address;
	return ret->name ? 0 : -ENOENT;
}

/* What reports call it: Fortran's names are told by DWARF. */
static void look_at_name(struct debug_info *info, const struct symbol_entry *entry,
			 struct debug_scope *frame)
{
	const char *file = frame->place.file;

	if (info && entry->name[entry->length - 1] == '_')
		(void)debug_info_function(info, entry->address, frame);
	frame->place = (struct place){file, 0};
}

/* What it is compared with costs as much as it is long. false: too much. */
static bool fill_name(struct symbol_module *module, struct debug_info *info,
		      const struct symbol_entry *entry, struct symbol *symbol)
{
	struct debug_scope frame = {.place.file = symbol->file};

	look_at_name(info, entry, &frame);
	fill_symbol(module, entry->name, name_length(entry->name, false), &frame, symbol);
	return !symbol->name || budget_take(&module->budget, strlen(symbol->name) / 16);
}

bool symbols_each(struct symbol_module *module, const struct symbol_question *question)
{
	struct debug_info *info = question->wish ? symbol_module_info(module) : NULL;
	const struct place_wish wish = {question->wish, question->context};
	uint64_t asked_count = 0, known_count = 0;

	budget_begin(&module->budget);
	for (size_t i = 0; i < module->table.count; i++) {
		const struct symbol_entry *entry = &module->table.entries[i];
		bool is_named = question->has_names, is_known = false;
		struct symbol symbol = {.name = NULL};

		if (!budget_take(&module->budget, 1 + entry->length / 256))
			break;
		if (is_named && question->may_fit)
			is_named = question->may_fit(question->context, entry->name,
						     entry->length);
		if (question->wish && (is_named || !question->is_wish_of_named)) {
			asked_count++;
			if (info)
				symbol.file = debug_info_file(info, entry->address, &wish,
							      &is_known);
			known_count += is_known;
		}
		if (!is_named && !symbol.file)
			continue;
		if (is_named && !fill_name(module, info, entry, &symbol))
			break;
		question->look(question->context, entry->address, &symbol);
	}
	(void)budget_look(&module->budget);
	return !asked_count || known_count;
}

bool symbols_import(struct symbol_module *module, const char *linkage_name)
{
	return module->file.elf &&
	       symbol_table_imports(module->file.elf, linkage_name, &module->budget);
}

int symbols_frames(struct symbol_module *module, uint64_t return_address,
		   struct symbol *ret, size_t capacity)
{
	struct debug_scope frames[FRAMES_MAX];
	uint64_t address = return_address - 1;
	const struct symbol_entry *entry;
	struct debug_info *info;
	const char *name;
	int count = -ENOENT, i;

	if (!capacity || address < module->low || address >= module->high)
		return -ENOENT;
	entry = symbol_table_around(&module->table, address);
	info = symbol_module_info(module);
	if (info)
		count = debug_info_scopes(info, address, frames,
					  capacity < FRAMES_MAX ? capacity : FRAMES_MAX);
	if (count < 0 && !entry)
		return -ENOENT;
	if (count < 0) {
		frames[0] = (struct debug_scope){.name = NULL};
		count = 1;
	}
	for (i = 0; i < count; i++) {
		name = entry && i == count - 1 ? entry->name : frames[i].name;
		fill_symbol(module, name, name ? name_length(name, true) : 0, &frames[i],
			    &ret[i]);
	}
	ret[count - 1].is_part = entry && strstr(entry->name, ".part.");
	return count;
}

int symbols_near(struct symbol_module *module, uint64_t address, uint64_t distance,
		 struct symbol *ret)
{
	struct debug_scope frame = {.name = NULL};
	const struct symbol_entry *entry;
	uint64_t apart;

	if (address < module->low || address >= module->high)
		return -ENOENT;
	entry = symbol_table_near(&module->table, address, &apart);
	if (!entry || apart > distance)
		return -ENOENT;
	fill_symbol(module, entry->name, name_length(entry->name, true), &frame, ret);
	return ret->name ? 0 : -ENOENT;
}
