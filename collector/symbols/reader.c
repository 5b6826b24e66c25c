/* SPDX-License-Identifier: MIT */
/*
 * Combines symbol table and DWARF into answers. Must not read more of a file than a
 * question needs: somebody waits.
 */
#include "collector/symbols/reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/symbols/symbol.h"
#include "collector/symbols/places.h"
#include "collector/symbols/strings.h"
#include "common/base/xalloc.h"
#include "common/names/cxx_name.h"

#define FRAMES_MAX 256
#define NAME_LIMIT 16384

/*
 * Every program has frames of the C library. Its debug information is often installed
 * (gdb and valgrind bring it) and packed: unpacking took 43 ms at the end of each run,
 * for sources that nobody has at hand. So its names come from the symbol table.
 */
static bool is_c_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && (strcmp(slash, "/libc.so.6") == 0 ||
			 strcmp(slash, "/ld-linux-x86-64.so.2") == 0);
}

/* Chooses the file to take DWARF from; false: it has none. */
static bool take_dwarf(struct reader_module *module, struct elf_file *file)
{
	if (!file->elf || !elf_file_has_debug_info(file->elf) ||
	    is_c_library(module->wanted.path))
		return false;
	if (elf_file_map(file) < 0)
		return false;
	module->dwarf_elf = file->elf;
	return true;
}

bool reader_is_wanted(const struct segment_module *wanted, const struct elf_file *file)
{
	struct stat info;

	if (wanted->build_id_size)
		return elf_file_has_build_id(file->elf, wanted->build_id,
					     wanted->build_id_size);
	return fstat(file->fd, &info) == 0 && info.st_dev == wanted->device &&
	       info.st_ino == wanted->inode &&
	       (uint64_t)info.st_size == wanted->size_bytes &&
	       info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec ==
		       wanted->mtime_ns;
}

/* Opens the wanted file. A relative path would be resolved in this process's directory,
 * not in that of the recorded one, so it is refused. */
static enum symbols_trouble open_wanted(struct reader_module *module)
{
	const struct segment_module *wanted = &module->wanted;
	int error;

	if (wanted->path[0] != '/' || (!wanted->build_id_size && !wanted->inode))
		return SYMBOLS_UNKNOWN;
	error = elf_file_open(wanted->path, &module->file);
	if (error == -ENOENT || error == -ENOTDIR)
		return SYMBOLS_GONE;
	if (error < 0)
		return SYMBOLS_UNREADABLE;
	if (reader_is_wanted(wanted, &module->file))
		return SYMBOLS_SOUND;
	elf_file_close(&module->file);
	return SYMBOLS_CHANGED;
}

static void open_files(struct reader_module *module, bool is_without_debug)
{
	const struct segment_module *wanted = &module->wanted;
	struct elf_file *file = &module->file, *debug = &module->debug;

	module->trouble = open_wanted(module);
	if (!is_without_debug && take_dwarf(module, file))
		return;
	if (file->elf)
		(void)elf_file_open_debug(file->elf, wanted->path, debug);
	else if (elf_file_open_by_build_id(wanted->build_id, wanted->build_id_size,
					   debug) == 0)
		module->trouble = SYMBOLS_SOUND;
	if (!is_without_debug)
		(void)take_dwarf(module, debug);
}

static bool add_table(struct reader_module *module, Elf *elf, uint32_t type)
{
	return elf && symbol_table_add(&module->table, elf, type, module->low,
				       module->high) == 0;
}

/* Reads the full symbol table of the file or of its debug file; failing that, the
 * exported symbols and those of a packed table. */
static enum symbols_source read_table(struct reader_module *module)
{
	Elf *file = module->file.elf, *debug = module->debug.elf;
	enum symbols_source source = SYMBOLS_NONE;

	if (add_table(module, file, SHT_SYMTAB) || add_table(module, debug, SHT_SYMTAB))
		return SYMBOLS_SYMTAB;
	if (add_table(module, file, SHT_DYNSYM))
		source = SYMBOLS_DYNSYM;
	if (file && elf_file_open_mini(file, &module->mini) == 0 &&
	    add_table(module, module->mini.elf, SHT_SYMTAB))
		source = SYMBOLS_SYMTAB;
	return source;
}

static void read_functions(struct reader_module *module)
{
	Elf *elf = module->file.elf ? module->file.elf : module->debug.elf;

	if (!elf || !elf_file_code_range(elf, &module->low, &module->high))
		return;
	module->source = read_table(module);
	symbol_table_sort(&module->table);
	if (module->dwarf_elf)
		module->source = SYMBOLS_DEBUG;
}

struct reader_module *reader_open(struct strings *strings,
				  const struct segment_module *file,
				  bool is_without_debug)
{
	struct reader_module *module = xcalloc(1, sizeof(*module));

	module->strings = strings;
	module->file = module->debug = module->mini = ELF_FILE_NONE;
	module->wanted = *file;
	open_files(module, is_without_debug);
	read_functions(module);
	return module;
}

/* Called at the first question for a variable. */
static void reader_module_read_variables(struct reader_module *module)
{
	struct symbol_table *variables = &module->variables;
	Elf *file = module->file.elf, *debug = module->debug.elf;

	module->has_variables = true;
	if ((!file || symbol_table_add_variables(variables, file, SHT_SYMTAB)) &&
	    (!debug || symbol_table_add_variables(variables, debug, SHT_SYMTAB)) && file)
		(void)symbol_table_add_variables(variables, file, SHT_DYNSYM);
	symbol_table_sort(variables);
}

/* The DWARF index, made at the first question; NULL: there is none. Call it at the start
 * of each question. */
static struct debug_info *reader_module_info(struct reader_module *module)
{
	if (!module->info && module->dwarf_elf) {
		module->info = debug_info_open(module->dwarf_elf, module->low,
					       module->high, module->strings);
		if (!module->info)
			module->dwarf_elf = NULL;
	}
	return module->info;
}

enum symbols_source reader_source(const struct reader_module *module)
{
	return module->source;
}

enum symbols_trouble reader_trouble(const struct reader_module *module)
{
	if (!module->trouble && module->info && debug_info_is_cut(module->info))
		return SYMBOLS_LIMIT;
	return module->trouble;
}

/* The length of the name without "@VERSION" and, if asked, without the mark of a part
 * that the compiler split off (".cold", ".cold.5"). */
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

/* Fortran procedures outside of modules have an underscore that the source lacks. */
static bool is_fortran_name(const char *linkage_name, const char *source_name)
{
	size_t length = strlen(linkage_name);

	return source_name && length > 1 && linkage_name[length - 1] == '_' &&
	       strncmp(linkage_name, source_name, length - 1) == 0 &&
	       source_name[length - 1] == '\0';
}

/* Gives one name to all functions that the compiler made of one. */
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

static void fill_symbol(struct reader_module *module, const char *name, size_t length,
			const struct debug_scope *frame, struct symbol *ret)
{
	struct strings *strings = module->strings;

	*ret = (struct symbol){.file = frame->place.file,
			       .own_file = frame->own_file,
			       .line = frame->place.line};
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

int reader_function(struct reader_module *module, uint64_t address, struct symbol *ret)
{
	const struct symbol_entry *entry = symbol_table_at(&module->table, address);
	struct debug_scope frame = {.name = NULL};
	struct debug_info *info;
	const char *name;

	if (address < module->low || address >= module->high)
		return -ENOENT;
	info = reader_module_info(module);
	if (info)
		(void)debug_info_function(info, address, &frame);
	name = entry ? entry->name : frame.name;
	if (!name)
		return -ENOENT;
	fill_symbol(module, name, name_length(name, false), &frame, ret);
	return 0;
}

int reader_variable(struct reader_module *module, uint64_t address, struct symbol *ret,
		    uint64_t *ret_offset)
{
	const struct debug_scope nowhere = {.name = NULL};
	const struct symbol_entry *entry;

	if (!module->has_variables)
		reader_module_read_variables(module);
	entry = symbol_table_around(&module->variables, address);
	if (!entry)
		return -ENOENT;
	fill_symbol(module, entry->name, name_length(entry->name, false), &nowhere, ret);
	*ret_offset = address - entry->address;
	return ret->name ? 0 : -ENOENT;
}

/* Finds the name for reports. Fortran's names come from DWARF. */
static void look_at_name(struct debug_info *info, const struct symbol_entry *entry,
			 struct debug_scope *frame)
{
	const char *file = frame->place.file;

	if (info && entry->name[entry->length - 1] == '_')
		(void)debug_info_function(info, entry->address, frame);
	frame->place = (struct source_place){file, 0};
}

static void fill_name(struct reader_module *module, struct debug_info *info,
		      const struct symbol_entry *entry, struct symbol *symbol)
{
	struct debug_scope frame = {.place.file = symbol->file};

	look_at_name(info, entry, &frame);
	fill_symbol(module, entry->name, name_length(entry->name, false), &frame, symbol);
}

bool reader_each(struct reader_module *module, const struct reader_question *question)
{
	struct debug_info *info = question->wish ? reader_module_info(module) : NULL;
	const struct source_wish wish = {question->wish, question->context};
	uint64_t asked_count = 0, known_count = 0;

	for (size_t i = 0; i < module->table.count; i++) {
		const struct symbol_entry *entry = &module->table.entries[i];
		bool is_named = question->has_names, is_known = false;
		struct symbol symbol = {.name = NULL};

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
		if (is_named)
			fill_name(module, info, entry, &symbol);
		question->look(question->context, entry->address, &symbol);
	}
	return !asked_count || known_count;
}

bool reader_import(struct reader_module *module, const char *linkage_name)
{
	return module->file.elf && symbol_table_imports(module->file.elf, linkage_name);
}

int reader_frames(struct reader_module *module, uint64_t return_address,
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
	info = reader_module_info(module);
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

int reader_near(struct reader_module *module, uint64_t address, struct symbol *ret,
		uint64_t *ret_distance)
{
	struct debug_scope frame = {.name = NULL};
	const struct symbol_entry *entry;

	if (address < module->low || address >= module->high)
		return -ENOENT;
	entry = symbol_table_near(&module->table, address, ret_distance);
	if (!entry)
		return -ENOENT;
	fill_symbol(module, entry->name, name_length(entry->name, true), &frame, ret);
	return ret->name ? 0 : -ENOENT;
}
