/* SPDX-License-Identifier: MIT */
/*
 * The symbolizer: which files a module's names come from, and the answers put together
 * from symbol table and DWARF. Must not read more of a file than a question needs;
 * somebody waits.
 */
#include "collector/symbols/symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/names/cxx_name.h"
#include "common/base/xalloc.h"
#include "collector/symbols/budget.h"
#include "collector/symbols/calls/direct_calls.h"
#include "collector/symbols/demangle.h"
#include "collector/symbols/dwarf/dwarf.h"
#include "collector/symbols/elf.h"
#include "collector/symbols/strings.h"
#include "collector/symbols/table.h"

#define BUILD_ID_MAX 64
#define FRAMES_MAX 256
#define NAME_LIMIT 16384

/*
 * file: the module itself; debug: its separate debug file; mini: its packed symbol table.
 * dwarf_elf: whichever of them has DWARF (borrowed), NULL: none. [low, high): its code.
 */
struct symbol_module {
	struct symbol_module *next;
	struct symbolizer *symbolizer;
	struct elf_file file, debug, mini;
	struct symbol_table table;
	struct symbol_table variables; /* read at the first question */
	bool has_variables;
	struct direct_calls calls; /* likewise */
	bool has_calls;
	Elf *dwarf_elf;
	struct debug_info *info; /* NULL until the first question */
	uint64_t low, high;
	const char *source, *trouble;
	struct budget budget;
	struct symbol_file wanted; /* its pointers lead into this module */
	uint8_t build_id[BUILD_ID_MAX];
	char path[];
};

struct symbolizer {
	struct strings *strings;
	struct budget budget;
	struct symbol_module *modules;
};

struct symbolizer *symbols_new(void)
{
	struct symbolizer *symbolizer = xcalloc(1, sizeof(*symbolizer));

	symbolizer->budget = BUDGET_RUN;
	symbolizer->strings = strings_new();
	(void)unsetenv("DEBUGINFOD_URLS");
	return symbolizer;
}

static void module_free(struct symbol_module *module)
{
	debug_info_close(module->info);
	symbol_table_done(&module->table);
	symbol_table_done(&module->variables);
	direct_calls_done(&module->calls);
	elf_file_close(&module->mini);
	elf_file_close(&module->debug);
	elf_file_close(&module->file);
	free(module);
}

static void close_modules(struct symbolizer *symbolizer)
{
	struct symbol_module *module, *next;

	for (module = symbolizer->modules; module; module = next) {
		next = module->next;
		module_free(module);
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

static void module_read(struct symbol_module *module)
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

static bool is_same_file(const struct symbol_file *a, const struct symbol_file *b)
{
	if (strcmp(a->path, b->path) != 0 || a->build_id_size != b->build_id_size)
		return false;
	if (a->build_id_size)
		return memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
	return a->device == b->device && a->inode == b->inode &&
	       a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns;
}

/* A module that has not been read. */
static struct symbol_module *module_new(struct symbolizer *symbolizer,
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
	module = module_new(symbolizer, &wanted);
	module_read(module);
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

/* The DWARF index, made at the first question; NULL: there is none. Called at the start
 * of each question. */
static struct debug_info *module_info(struct symbol_module *module)
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
	info = module_info(module);
	if (info)
		(void)debug_info_function(info, address, &frame);
	name = entry ? entry->name : frame.name;
	if (!name)
		return -ENOENT;
	fill_symbol(module, name, name_length(name, false), &frame, ret);
	return 0;
}

static void read_variables(struct symbol_module *module)
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

int symbols_variable(struct symbol_module *module, uint64_t address, struct symbol *ret,
		     uint64_t *ret_offset)
{
	const struct debug_scope nowhere = {.name = NULL};
	const struct symbol_entry *entry;

	if (!module->has_variables)
		read_variables(module);
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
	struct debug_info *info = question->wish ? module_info(module) : NULL;
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
	info = module_info(module);
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

const struct direct_calls *symbols_calls(struct symbol_module *module)
{
	if (module->has_calls)
		return &module->calls;
	module->has_calls = true;
	budget_begin(&module->budget);
	if (module->file.elf)
		direct_calls_find(module->file.elf, &module->table, &module->budget,
				  &module->calls);
	return &module->calls;
}

size_t symbols_entry_count(const struct symbol_module *module)
{
	return module->table.count;
}

uint64_t symbols_entry(const struct symbol_module *module, size_t number)
{
	return module->table.entries[number].address;
}
