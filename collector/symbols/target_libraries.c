/* SPDX-License-Identifier: MIT */
/*
 * Follows DT_NEEDED through RPATH, LD_LIBRARY_PATH, RUNPATH and the directories of
 * /etc/ld.so.conf. Must not run anything, or follow more than LIBRARY_LIMIT libraries.
 *
 * Not looked at: ld.so.cache (its directories are those of ld.so.conf), hwcaps
 * directories (they hold copies of the same libraries), and RPATHs inherited from the
 * library that needs a library.
 */
#include "collector/symbols/program.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "collector/symbols/elf.h"

#define LIBRARY_LIMIT 256
#define TRY_LIMIT 20000	 /* files looked at; an RPATH may name a million directories */
#define ENTRY_LIMIT 4096 /* in .dynamic; a program with 256 libraries has about 300 */
#define CONF_DEPTH 4

/* system: directories of ld.so.conf, separated by ':'. paths: the libraries seen so far;
 * those from `next` on have not been visited. */
struct search {
	char *system;
	char *paths[LIBRARY_LIMIT];
	size_t count, next, tries;
};

/* What one file needs. Strings are borrowed from its Elf. */
struct wishes {
	const char *rpath, *runpath;
	const char *origin; /* path of the file */
};

static int append_directory(struct search *search, const char *directory)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", search->system ? search->system : "",
		     search->system ? ":" : "", directory) < 0)
		return -ENOMEM;
	free(search->system);
	search->system = longer;
	return 0;
}

static int read_conf(struct search *search, const char *pattern, int depth);

static int read_conf_line(struct search *search, char *line, int depth)
{
	char *word, *save;
	int error = 0;

	line[strcspn(line, "#\n")] = '\0';
	word = strtok_r(line, " \t,:", &save);
	if (!word)
		return 0;
	if (strcmp(word, "include") != 0)
		return word[0] == '/' ? append_directory(search, word) : 0;
	while (!error && (word = strtok_r(NULL, " \t", &save)))
		error = read_conf(search, word, depth + 1);
	return error;
}

static int read_conf(struct search *search, const char *pattern, int depth)
{
	char line[PATH_MAX];
	glob_t files;
	FILE *file;
	int error = 0;
	size_t i;

	if (depth > CONF_DEPTH || pattern[0] != '/' ||
	    glob(pattern, 0, NULL, &files) != 0)
		return 0;
	for (i = 0; i < files.gl_pathc && !error; i++) {
		file = fopen(files.gl_pathv[i], "re");
		while (file && !error && fgets(line, sizeof(line), file))
			error = read_conf_line(search, line, depth);
		if (file)
			fclose(file);
	}
	globfree(&files);
	return error;
}

/* Replaces $ORIGIN at the start of a search directory, the only place where linkers put
 * it. */
static int join(const struct wishes *wishes, const char *directory, size_t length,
		const char *name, char *ret)
{
	static const char *const spellings[] = {"$ORIGIN", "${ORIGIN}"};
	const char *slash = strrchr(wishes->origin, '/');
	int written;
	size_t i, skip;

	for (i = 0; i < 2; i++) {
		skip = strlen(spellings[i]);
		if (length < skip || strncmp(directory, spellings[i], skip) != 0)
			continue;
		written = snprintf(ret, PATH_MAX, "%.*s%.*s/%s",
				   slash ? (int)(slash - wishes->origin) : 1,
				   slash ? wishes->origin : ".", (int)(length - skip),
				   directory + skip, name);
		return written > 0 && written < PATH_MAX ? 0 : -ENAMETOOLONG;
	}
	written = snprintf(ret, PATH_MAX, "%.*s/%s", (int)length, directory, name);
	return written > 0 && written < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static bool is_library(const char *path)
{
	struct elf_file file;
	Elf64_Ehdr header;
	bool fits;

	if (elf_file_open(path, &file) < 0)
		return false;
	fits = gelf_getehdr(file.elf, &header) && header.e_machine == EM_X86_64 &&
	       header.e_type == ET_DYN;
	elf_file_close(&file);
	return fits;
}

/* Searches a ':' separated list of directories. */
static bool find_in(struct search *search, const struct wishes *wishes, const char *list,
		    const char *name, char *ret)
{
	const char *end;

	for (; list && search->tries++ < TRY_LIMIT; list = *end ? end + 1 : NULL) {
		end = strchrnul(list, ':');
		if (end > list &&
		    join(wishes, list, (size_t)(end - list), name, ret) == 0 &&
		    is_library(ret))
			return true;
	}
	return false;
}

static bool find_library(struct search *search, const struct wishes *wishes,
			 const char *name, char *ret)
{
	if (strchr(name, '/')) {
		snprintf(ret, PATH_MAX, "%s", name);
		return is_library(ret);
	}
	return (!wishes->runpath && find_in(search, wishes, wishes->rpath, name, ret)) ||
	       find_in(search, wishes, getenv("LD_LIBRARY_PATH"), name, ret) ||
	       find_in(search, wishes, wishes->runpath, name, ret) ||
	       find_in(search, wishes, search->system, name, ret) ||
	       find_in(search, wishes, "/lib64:/usr/lib64:/lib:/usr/lib", name, ret);
}

static int remember(struct search *search, const char *path)
{
	size_t i;

	for (i = 0; i < search->count; i++)
		if (strcmp(search->paths[i], path) == 0)
			return 0;
	if (search->count == LIBRARY_LIMIT)
		return 0;
	search->paths[search->count] = strdup(path);
	if (!search->paths[search->count])
		return -ENOMEM;
	search->count++;
	return 0;
}

/* The entry's string, or NULL. */
static const char *dynamic_string(const Elf_Data *names, const Elf_Data *data, size_t i,
				  int64_t *ret_tag)
{
	Elf64_Dyn entry;

	memcpy(&entry, (const char *)data->d_buf + i * sizeof(entry), sizeof(entry));
	*ret_tag = entry.d_tag;
	if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH &&
	    entry.d_tag != DT_RUNPATH)
		return NULL;
	return entry.d_un.d_val < names->d_size
		       ? (const char *)names->d_buf + entry.d_un.d_val
		       : NULL;
}

/* Finds the libraries that this file needs and remembers the new ones. */
static int add_needed(struct search *search, const char *path, Elf *elf)
{
	Elf64_Shdr header;
	Elf_Scn *section = elf_file_section(elf, SHT_DYNAMIC, NULL, &header);
	const Elf_Data *data = section ? elf_file_data(section) : NULL;
	struct wishes wishes = {NULL, NULL, path};
	const Elf_Data *names = data ? elf_file_strings(elf, header.sh_link) : NULL;
	size_t count = names ? data->d_size / sizeof(Elf64_Dyn) : 0, i;
	char found[PATH_MAX];
	const char *text;
	int64_t tag;
	int error = 0;

	if (count > ENTRY_LIMIT)
		count = ENTRY_LIMIT;
	for (i = 0; i < count; i++) {
		text = dynamic_string(names, data, i, &tag);
		if (text && tag == DT_RPATH)
			wishes.rpath = text;
		else if (text && tag == DT_RUNPATH)
			wishes.runpath = text;
	}
	for (i = 0; i < count && !error; i++) {
		text = dynamic_string(names, data, i, &tag);
		if (text && tag == DT_NEEDED &&
		    find_library(search, &wishes, text, found))
			error = remember(search, found);
	}
	return error;
}

static int visit_next(struct search *search, target_library_visitor *visit, void *context)
{
	const char *path = search->paths[search->next++];
	struct elf_file file;
	int result;

	if (elf_file_open(path, &file) < 0)
		return 0;
	result = visit(path, file.elf, context);
	if (!result)
		result = add_needed(search, path, file.elf);
	elf_file_close(&file);
	return result;
}

int target_libraries(const char *path, Elf *program, target_library_visitor *visit,
		     void *context)
{
	struct search search = {.count = 0};
	int result = read_conf(&search, "/etc/ld.so.conf", 0);

	if (!result)
		result = add_needed(&search, path, program);
	while (!result && search.next < search.count)
		result = visit_next(&search, visit, context);
	while (search.count)
		free(search.paths[--search.count]);
	free(search.system);
	return result;
}
