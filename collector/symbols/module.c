/* SPDX-License-Identifier: MIT */
/*
 * Which files a module's names come from. Must not take a file for the module that is not
 * the one that was wanted.
 */
#include "collector/symbols/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/xalloc.h"

struct symbol_module *symbol_module_new(struct symbolizer *symbolizer,
					const struct symbol_file *wanted)
{
	size_t path_size = strlen(wanted->path) + 1;
	struct symbol_module *module = xcalloc(1, sizeof(*module) + path_size);

	module->symbolizer = symbolizer;
	module->file = module->debug = module->mini = ELF_FILE_NONE;
	module->budget = BUDGET_MODULE;
	module->budget.whole = &symbolizer->budget;
	module->wanted = *wanted;
	module->wanted.path = memcpy(module->path, wanted->path, path_size);
	module->wanted.build_id = module->build_id;
	if (wanted->build_id_size)
		memcpy(module->build_id, wanted->build_id, wanted->build_id_size);
	return module;
}

void symbol_module_free(struct symbol_module *module)
{
	debug_info_close(module->info);
	symbol_table_done(&module->table);
	symbol_table_done(&module->variables);
	elf_file_close(&module->mini);
	elf_file_close(&module->debug);
	elf_file_close(&module->file);
	free(module);
}

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
static bool take_dwarf(struct symbol_module *module, struct elf_file *file)
{
	if (!file->elf || !elf_file_has_debug_info(file->elf) ||
	    is_c_library(module->path))
		return false;
	if (!elf_file_unpacks(file->elf)) {
		module->trouble = SYMBOLS_LIMIT;
		return false;
	}
	if (elf_file_read_whole(file) < 0)
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
static const char *open_wanted(struct symbol_module *module)
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
		return NULL;
	elf_file_close(&module->file);
	return SYMBOLS_CHANGED;
}

static void open_files(struct symbol_module *module)
{
	struct elf_file *file = &module->file, *debug = &module->debug;

	module->trouble = open_wanted(module);
	if (take_dwarf(module, file))
		return;
	if (file->elf)
		(void)elf_file_open_debug(file->elf, module->path, debug);
	else if (elf_file_open_by_build_id(module->build_id, module->wanted.build_id_size,
					   debug) == 0)
		module->trouble = NULL;
	(void)take_dwarf(module, debug);
}

static bool add_table(struct symbol_module *module, Elf *elf, uint32_t type)
{
	return elf && symbol_table_add(&module->table, elf, type, module->low,
				       module->high, &module->budget) == 0;
}

/* The full symbol table of the file or of its debug file; failing that, the exported
 * symbols with what a packed table adds to them. */
static const char *read_table(struct symbol_module *module)
{
	Elf *file = module->file.elf, *debug = module->debug.elf;
	const char *source = "none";

	if (add_table(module, file, SHT_SYMTAB) || add_table(module, debug, SHT_SYMTAB))
		return "symtab";
	if (add_table(module, file, SHT_DYNSYM))
		source = "dynsym";
	if (file && elf_file_open_mini(file, &module->mini) == 0 &&
	    add_table(module, module->mini.elf, SHT_SYMTAB))
		source = "symtab";
	return source;
}

void symbol_module_read(struct symbol_module *module)
{
	Elf *elf;

	module->source = "none";
	if (module->symbolizer->budget.is_over) {
		module->trouble = SYMBOLS_LIMIT;
		return;
	}
	budget_begin(&module->budget);
	(void)budget_look(&module->budget);
	open_files(module);
	elf = module->file.elf ? module->file.elf : module->debug.elf;
	if (!elf || !elf_file_code_range(elf, &module->low, &module->high))
		return;
	module->source = read_table(module);
	symbol_table_sort(&module->table);
	if (module->dwarf_elf)
		module->source = "debug";
	(void)budget_look(&module->budget);
}

void symbol_module_read_variables(struct symbol_module *module)
{
	struct symbol_table *variables = &module->variables;
	struct budget *budget = &module->budget;
	Elf *file = module->file.elf, *debug = module->debug.elf;

	module->has_variables = true;
	budget_begin(budget);
	if ((!file || symbol_table_add_variables(variables, file, SHT_SYMTAB, budget)) &&
	    (!debug ||
	     symbol_table_add_variables(variables, debug, SHT_SYMTAB, budget)) &&
	    file)
		(void)symbol_table_add_variables(variables, file, SHT_DYNSYM, budget);
	symbol_table_sort(variables);
	(void)budget_look(budget);
}

struct debug_info *symbol_module_info(struct symbol_module *module)
{
	budget_begin(&module->budget);
	if (!module->info && module->dwarf_elf) {
		module->info =
			debug_info_open(module->dwarf_elf, module->low, module->high,
					module->symbolizer->strings, &module->budget);
		if (!module->info)
			module->dwarf_elf = NULL;
	}
	return module->info;
}
