/* SPDX-License-Identifier: MIT */
/*
 * Which files a module's names come from. Must not take a file for the module that is not
 * the one that was wanted.
 */
#include "collector/symbols/reader/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/xalloc.h"

/*
 * Every program has frames of the C library, its debug information is often installed
 * (gdb and valgrind bring it) and packed: unpacking took 43 ms at the end of each run,
 * for lines of sources that nobody has at hand. Its names come from the symbol table.
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

static bool is_wanted(const struct symbol_file *wanted, const struct elf_file *file)
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

/* A relative path would be looked for where this process is, not where that one was. */
static enum symbols_trouble open_wanted(struct reader_module *module)
{
	const struct symbol_file *wanted = &module->wanted;
	int error;

	if (wanted->path[0] != '/' || (!wanted->build_id_size && !wanted->inode))
		return SYMBOLS_UNKNOWN;
	error = elf_file_open(wanted->path, &module->file);
	if (error == -ENOENT || error == -ENOTDIR)
		return SYMBOLS_GONE;
	if (error < 0)
		return SYMBOLS_UNREADABLE;
	if (is_wanted(wanted, &module->file))
		return SYMBOLS_SOUND;
	elf_file_close(&module->file);
	return SYMBOLS_CHANGED;
}

static void open_files(struct reader_module *module, bool is_without_debug)
{
	const struct symbol_file *wanted = &module->wanted;
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

/* The full symbol table of the file or of its debug file; failing that, the exported
 * symbols with what a packed table adds to them. */
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

struct reader_module *reader_module_new(struct strings *strings,
					const struct symbol_file *file,
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

void reader_module_read_variables(struct reader_module *module)
{
	struct symbol_table *variables = &module->variables;
	Elf *file = module->file.elf, *debug = module->debug.elf;

	module->has_variables = true;
	if ((!file || symbol_table_add_variables(variables, file, SHT_SYMTAB)) &&
	    (!debug || symbol_table_add_variables(variables, debug, SHT_SYMTAB)) && file)
		(void)symbol_table_add_variables(variables, file, SHT_DYNSYM);
	symbol_table_sort(variables);
}

struct debug_info *reader_module_info(struct reader_module *module)
{
	if (!module->info && module->dwarf_elf) {
		module->info = debug_info_open(module->dwarf_elf, module->low,
					       module->high, module->strings);
		if (!module->info)
			module->dwarf_elf = NULL;
	}
	return module->info;
}
