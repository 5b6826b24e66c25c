/* SPDX-License-Identifier: MIT */
/* Puts together what this folder finds out about a program and its libraries, in a
 * confined child. */
#include "collector/symbols/build.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "collector/symbols/program.h"
#include "collector/symbols/confined.h"
#include "collector/symbols/elf.h"
#include "collector/symbols/library.h"
#include "collector/symbols/reader.h"
#include "collector/symbols/table.h"
#include "collector/symbols/strings.h"

/* What a unit's producer text (DW_AT_producer) says. The text is borrowed. */
struct compiler_flags {
	enum compiler compiler;
	size_t name_length; /* the text's first part: compiler and version */
	bool are_told;	    /* the switches are recorded */
	bool is_assembler;
	bool has_hooks, after_inlining, excludes_files, has_lto, keeps_frames;
	char level; /* 0 to 3, 's', 'g', 'f' (-Ofast), 'z'; only if are_told */
};

/* Judges by the words that compilers leave in .comment. Startup files are gcc's even in
 * programs built by clang, so clang's word counts more. */
static enum compiler compiler_of_file(Elf *elf)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, 0, ".comment", &header);
	const Elf_Data *words = section ? elf_file_data(section) : NULL;

	if (!words)
		return COMPILER_UNKNOWN;
	if (memmem(words->d_buf, words->d_size, "clang version", 13))
		return COMPILER_CLANG;
	return memmem(words->d_buf, words->d_size, "GCC: (", 6) ? COMPILER_GCC
								: COMPILER_UNKNOWN;
}

static bool begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static void read_switch(const char *word, size_t length, struct compiler_flags *ret)
{
	static const char *const plain = RECIPE_HOOKS, *const after = RECIPE_HOOKS
						       "-after-inlining";

	if (length >= 2 && begins(word, "-O"))
		ret->level = length == 2 ? '1' : begins(word, "-Ofast") ? 'f' : word[2];
	else if (length == strlen(plain) && begins(word, plain))
		ret->has_hooks = true;
	else if (length == strlen(after) && begins(word, after))
		ret->has_hooks = ret->after_inlining = true;
	else if (begins(word, RECIPE_HOOKS "-exclude-file-list"))
		ret->excludes_files = true;
	else if (begins(word, "-flto"))
		ret->has_lto = true;
	else if (begins(word, "-fno-omit-frame-pointer"))
		ret->keeps_frames = true;
}

/* Parses texts like "GNU C++17 12.2.0 -O2 -g", "Debian clang version 14.0.6", "rustc
 * version 1.63.0". gcc records its switches by default; clang only with
 * -grecord-command-line, and then the text begins with clang's own path. */
static void compiler_read(const char *producer, struct compiler_flags *ret)
{
	const char *word = producer, *start = strstr(producer, " -");

	*ret = (struct compiler_flags){.compiler = COMPILER_OTHER};
	if (begins(producer, "GNU AS"))
		ret->is_assembler = true;
	else if (begins(producer, "GNU "))
		ret->compiler = COMPILER_GCC;
	else if (strstr(producer, "clang version"))
		ret->compiler = COMPILER_CLANG;
	ret->has_lto = begins(producer, "GNU GIMPLE");
	ret->name_length = start ? (size_t)(start - producer) : strlen(producer);
	if (strstr(producer, " /") && (!start || strstr(producer, " /") < start))
		ret->name_length = (size_t)(strstr(producer, " /") - producer);
	ret->are_told = start != NULL;
	ret->level = '0';
	for (word = start; word && *word;) {
		size_t length;

		word += strspn(word, " ");
		length = strcspn(word, " ");
		if (length)
			read_switch(word, length, ret);
		word += length;
	}
}

/*
 * Visits the roots of units through libdw. Must not read further into a unit or open
 * another file: the skeleton of a split unit has a producer, too.
 */

/* Called for each compile unit; producer is borrowed. */
typedef void producers_visitor(const char *producer, void *context);

/* Visits the units. elf: mapped, see elf.h. */
static void producers_each(Elf *elf, producers_visitor *visit, void *context)
{
	Dwarf *dwarf;
	Dwarf_Attribute attribute;
	Dwarf_CU *cu = NULL;
	const char *producer;
	Dwarf_Die die;
	uint8_t type;

	if (!elf_file_has_debug_info(elf))
		return;
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (!dwarf_attr(&die, DW_AT_producer, &attribute))
			continue;
		/* a producer in the shared debug file is not looked up */
		if (dwarf_whatform(&attribute) == DW_FORM_GNU_strp_alt ||
		    dwarf_whatform(&attribute) == DW_FORM_strp_sup)
			continue;
		producer = dwarf_formstring(&attribute);
		if (producer)
			visit(producer, context);
	}
	if (dwarf)
		dwarf_end(dwarf);
}

#define NAMES_MOST_NS INT64_C(5000000000) /* of CPU time for everything before names */
#define HEADERS_LEAST 0.3		  /* of the functions with hooks */
#define LEVELS "0123sgfz"

struct tally {
	struct build_report *report;
	size_t levels[sizeof(LEVELS)];
	size_t compilers[COMPILER_OTHER + 1];
};

static void count_compiler(struct build_report *report, const char *producer,
			   size_t length)
{
	char name[BUILD_NAME_MOST];
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : 63),
		 producer);
	for (i = 0; i < report->compiler_count; i++)
		if (strcmp(report->compilers[i].name, name) == 0)
			break;
	if (i == BUILD_COMPILERS_MOST)
		return;
	if (i == report->compiler_count) {
		report->compiler_count++;
		memcpy(report->compilers[i].name, name, sizeof(name));
	}
	report->compilers[i].unit_count++;
	for (; i && report->compilers[i].unit_count > report->compilers[i - 1].unit_count;
	     i--) {
		struct build_compiler less = report->compilers[i - 1];

		report->compilers[i - 1] = report->compilers[i];
		report->compilers[i] = less;
	}
}

static void look_at_unit(const char *producer, void *context)
{
	struct tally *tally = context;
	struct build_report *report = tally->report;
	struct compiler_flags flags;
	const char *level;

	compiler_read(producer, &flags);
	if (flags.is_assembler)
		return;
	report->unit_count++;
	tally->compilers[flags.compiler]++;
	count_compiler(report, producer, flags.name_length);
	report->is_cxx |= strncmp(producer, "GNU C++", 7) == 0;
	report->lto_count += flags.has_lto;
	if (!flags.are_told)
		return;
	report->told_count++;
	report->hooks_count += flags.has_hooks;
	report->after_inlining_count += flags.after_inlining;
	report->exclude_count += flags.excludes_files;
	report->frames_count += flags.keeps_frames;
	level = strchr(LEVELS, flags.level);
	if (level)
		tally->levels[level - LEVELS]++;
}

static void look_at_units(Elf *elf, struct build_report *ret)
{
	struct tally tally = {.report = ret};
	size_t most = 0;

	producers_each(elf, look_at_unit, &tally);
	for (size_t i = 1; i < sizeof(LEVELS) - 1; i++)
		most = tally.levels[i] > tally.levels[most] ? i : most;
	ret->level = ret->told_count ? LEVELS[most] : '\0';
	if (!ret->unit_count)
		return;
	ret->compiler = COMPILER_GCC;
	for (int i = COMPILER_GCC; i <= COMPILER_OTHER; i++)
		if (tally.compilers[i] > tally.compilers[ret->compiler])
			ret->compiler = (enum compiler)i;
}

static int64_t cpu_now_ns(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Looks up names and files of the functions with hooks. */
static void look_at_functions(const char *path, Elf *elf, const struct hook_calls *calls,
			      struct build_report *ret)
{
	char absolute[PATH_MAX];
	struct segment_module file = {.start = 0};
	struct reader_module *module;
	struct library library;
	const void *build_id;
	struct stat info;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &build_id);

	if (!realpath(path, absolute) || stat(absolute, &info) < 0 ||
	    strlen(absolute) >= sizeof(file.path))
		return;
	strcpy(file.path, absolute);
	file.device = info.st_dev;
	file.inode = info.st_ino;
	file.size_bytes = (uint64_t)info.st_size;
	file.mtime_ns = info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec;
	if (size > 0 && (size_t)size <= sizeof(file.build_id)) {
		memcpy(file.build_id, build_id, (size_t)size);
		file.build_id_size = (uint32_t)size;
	}
	module = reader_open(strings_new(), &file, false);
	library_init(&library, getenv("PROFSHIM_LIBRARY"), absolute);
	for (size_t i = 0; i < calls->function_count && !ret->is_cut; i++) {
		struct symbol symbol;
		struct library_function function = {.module = absolute};

		ret->is_cut = cpu_now_ns() > NAMES_MOST_NS;
		if (!calls->functions[i].calls ||
		    reader_function(module, calls->functions[i].address, &symbol) < 0 ||
		    !symbol.name)
			continue;
		function.name = symbol.name;
		function.file = symbol.file;
		ret->named_count++;
		ret->library_count += library_has(&library, &function);
		ret->template_count += strchr(symbol.name, '<') != NULL;
	}
	library_done(&library);
	ret->is_cut |= reader_trouble(module) == SYMBOLS_LIMIT;
}

/* target_libraries() visitor. */
static int look_at_library(const char *path, Elf *elf, void *context)
{
	struct build_report *ret = context;
	const char *name = basename(path);

	ret->needed_count++;
	ret->is_cxx |=
		strncmp(name, "libstdc++.", 10) == 0 || strncmp(name, "libc++.", 7) == 0;
	if (!symbol_table_imports(elf, ELF_HOOK))
		return 0;
	if (ret->hooked_libraries < BUILD_LIBRARIES_MOST)
		snprintf(ret->libraries[ret->hooked_libraries], BUILD_NAME_MOST, "%s",
			 name);
	ret->hooked_libraries++;
	return 0;
}

static void look_at_headers(Elf *elf, struct build_report *ret)
{
	Elf64_Ehdr header;
	Elf64_Shdr section;

	ret->is_stripped = !elf_file_section(elf, SHT_SYMTAB, NULL, &section);
	if (gelf_getehdr(elf, &header) && header.e_type == ET_DYN) {
		ret->is_pie = elf_file_section(elf, 0, ".interp", &section) != NULL;
		ret->is_library = !ret->is_pie;
	}
}

/* Reads the debug information in the file itself or in its separate debug file. */
static void look_at_debug(const char *path, struct elf_file *file,
			  struct build_report *ret)
{
	struct elf_file debug;

	ret->has_debug = elf_file_has_debug_info(file->elf);
	if (ret->has_debug) {
		look_at_units(file->elf, ret);
	} else if (elf_file_open_debug(file->elf, path, &debug) == 0) {
		ret->has_debug = elf_file_has_debug_info(debug.elf);
		if (ret->has_debug && elf_file_map(&debug) == 0)
			look_at_units(debug.elf, ret);
		elf_file_close(&debug);
	}
	if (ret->compiler == COMPILER_UNKNOWN)
		ret->compiler = compiler_of_file(file->elf);
}

struct build_answer {
	struct build_report report;
	int error;
};

/* Runs in the child. */
static void examine(void *answer, const void *path)
{
	struct build_report *report = &((struct build_answer *)answer)->report;
	struct elf_file file = ELF_FILE_NONE;
	struct hook_calls calls;
	int error = elf_file_open(path, &file);

	if (error == 0)
		error = elf_file_map(&file);
	((struct build_answer *)answer)->error = error;
	if (error < 0)
		return;
	look_at_headers(file.elf, report);
	hook_calls_find(file.elf, &calls);
	report->function_count = calls.function_count;
	report->hooked_count = calls.hooked_count;
	report->frame_count = calls.frame_count;
	report->call_count = calls.call_count;
	look_at_debug(path, &file, report);
	(void)target_libraries(path, file.elf, look_at_library, report);
	if (calls.hooked_count)
		look_at_functions(path, file.elf, &calls, report);
}

/* Makes the report valid, whatever the child has put there. */
static void make_sound(struct build_report *report)
{
	if (report->compiler > COMPILER_OTHER)
		report->compiler = COMPILER_OTHER;
	if (report->compiler_count > BUILD_COMPILERS_MOST)
		report->compiler_count = BUILD_COMPILERS_MOST;
	for (size_t i = 0; i < BUILD_COMPILERS_MOST; i++)
		report->compilers[i].name[BUILD_NAME_MOST - 1] = '\0';
	for (size_t i = 0; i < BUILD_LIBRARIES_MOST; i++)
		report->libraries[i][BUILD_NAME_MOST - 1] = '\0';
}

int build_examine(const char *path, struct build_report *ret)
{
	struct build_answer answer = {.error = -EFBIG};

	(void)confined_run(examine, path, &answer, sizeof(answer));
	make_sound(&answer.report);
	*ret = answer.report;
	return answer.error;
}

bool build_has_many_headers(const struct build_report *build)
{
	if (build->compiler == COMPILER_CLANG && build->call_count == build->hooked_count)
		return false;
	return build->named_count &&
	       (double)build->library_count >= HEADERS_LEAST * (double)build->named_count;
}
