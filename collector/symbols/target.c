/* SPDX-License-Identifier: MIT */
/*
 * Finds a program the way execvp() does and looks at its symbols. Must not run anything.
 */
#include "collector/symbols/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <gelf.h>

#include "collector/symbols/elf.h"
#include "collector/symbols/program.h"

#define SCRIPT_DEPTH 4 /* interpreters that are scripts themselves; as in Linux */
#define FIRST_LINE_BYTES 256

/* Limits, as a file may claim any number. */
#define SYMBOL_LIMIT (4u << 20)
#define SEGMENT_LIMIT 4096

/* 0, -ENOENT, -EACCES. */
static int check_executable(const char *path)
{
	struct stat info;

	if (stat(path, &info) < 0)
		return errno == EACCES ? -EACCES : -ENOENT;
	if (!S_ISREG(info.st_mode) || access(path, X_OK) < 0)
		return -EACCES;
	return 0;
}

static int copy_path(const char *path, char *ret)
{
	size_t length = strlen(path);

	if (!length)
		return -ENOENT;
	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(ret, path, length + 1);
	return 0;
}

/* As execvp(): a name with a slash is a path; others are looked up in PATH. A file that
 * may not be executed is remembered while the search goes on. */
static int find_program(const char *name, char *ret)
{
	const char *search = getenv("PATH"), *end;
	char path[PATH_MAX];
	int result = -ENOENT, error, length;

	if (!*name || strchr(name, '/')) {
		error = copy_path(name, ret);
		return error < 0 ? error : check_executable(ret);
	}
	if (!search)
		search = "/bin:/usr/bin";
	for (;; search = end + 1) {
		end = strchrnul(search, ':');
		length = snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - search),
				  search, end == search ? "" : "/", name);
		if (length > 0 && (size_t)length < sizeof(path)) {
			error = check_executable(path);
			if (error != -ENOENT)
				copy_path(path, ret);
			if (error == 0)
				return 0;
			if (error == -EACCES)
				result = -EACCES;
		}
		if (!*end)
			return result;
	}
}

/* The first bytes of the file as text; their number or -errno. */
static ssize_t read_start(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = pread(fd, text, FIRST_LINE_BYTES - 1, 0);
	if (got < 0)
		got = -errno;
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got;
}

/* env's first operand: the word that is neither option nor assignment. */
static const char *skip_env_words(char *words)
{
	char *save, *word;

	for (word = strtok_r(words, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save))
		if (word[0] != '-' && !strchr(word, '='))
			return word;
	return "";
}

/* Finds the program that a line "#!INTERPRETER ARGUMENTS" runs; empty: unreadable. */
static int find_interpreter(char *line, char *ret)
{
	char *program = line + 2, *arguments, *base;

	line[strcspn(line, "\n")] = '\0';
	program += strspn(program, " \t");
	arguments = program + strcspn(program, " \t");
	if (*arguments)
		*arguments++ = '\0';
	base = strrchr(program, '/');
	if (strcmp(base ? base + 1 : program, "env") == 0)
		return find_program(skip_env_words(arguments), ret);
	/* the kernel takes the path as it is, without a search */
	return copy_path(program, ret) < 0 ? -ENOENT : check_executable(ret);
}

/* Follows "#!" lines from ret->path to the file that the kernel loads. */
static int follow_scripts(struct target_report *ret, const char **ret_file)
{
	const char *file = ret->path;
	char start[FIRST_LINE_BYTES];
	ssize_t got;
	int depth, error;

	for (depth = 0; depth < SCRIPT_DEPTH; depth++) {
		*ret_file = file;
		got = read_start(file, start);
		if (got < 0)
			return (int)got;
		if (got >= 4 && memcmp(start, "\177ELF", 4) == 0)
			return 0;
		if (got >= 2 && start[0] == '#' && start[1] == '!')
			error = find_interpreter(start, ret->interpreter);
		else if (depth == 0 && got > 0 && strlen(start) == (size_t)got)
			error = copy_path("/bin/sh", ret->interpreter); /* as execvp() */
		else
			return 0;
		ret->is_script = true;
		if (error < 0)
			return error;
		file = ret->interpreter;
	}
	return -ELOOP;
}

/* Whether the kernel would give the program rights its caller does not have. */
static bool is_privileged(const char *path)
{
	struct statvfs mount;
	struct stat info;

	if (stat(path, &info) < 0)
		return false;
	if (statvfs(path, &mount) == 0 && mount.f_flag & ST_NOSUID)
		return false;
	if (info.st_mode & S_ISUID && info.st_uid != getuid())
		return true;
	if ((info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    info.st_gid != getgid())
		return true;
	return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* Compares first letters first, which rules out most symbols. */
static void look_at_symbol(const char *name, bool defined, struct target_report *ret)
{
	static const char *const allocators[] = {
		"malloc",	"je_malloc",   "jemalloc",	"tc_malloc", "mi_malloc",
		"_rjem_malloc", "__je_malloc", "_rjem_mallocx", NULL};
	static const char *const gprof[] = {"mcount", "_mcount", "__fentry__",
					    "__monstartup", NULL};

	if (!strchr("_mjtp", name[0]))
		return;
	if (elf_symbol_is(name, ELF_HOOK)) {
		if (defined)
			ret->defines_hooks = true;
		else
			ret->has_hooks = true;
	}
	if (defined && is_one_of(name, allocators))
		ret->defines_malloc = true;
	if (defined && strcmp(name, "profshim_own_program") == 0)
		ret->is_own = true;
	if (is_one_of(name, gprof))
		ret->links_pg = true;
	if (!defined && strcmp(name, "__asan_init") == 0)
		ret->needs_asan = ret->defines_malloc = true;
}

static void look_at_symbols(Elf *elf, uint32_t type, struct target_report *ret)
{
	struct elf_symbols symbols;
	Elf64_Sym symbol;
	const char *name;

	if (!elf_symbols_open(&symbols, elf, type))
		return;
	while (symbols.next < SYMBOL_LIMIT &&
	       (name = elf_symbols_next(&symbols, &symbol)))
		if (name[0])
			look_at_symbol(name, symbol.st_shndx != SHN_UNDEF, ret);
}

/* target_libraries() visitor: 1 ends the search. */
static int look_for_hooks(const char *path, Elf *elf, void *context)
{
	struct target_report *ret = context, library = {.is_elf = true};

	(void)path;
	look_at_symbols(elf, SHT_DYNSYM, &library);
	ret->has_hooks = library.has_hooks;
	return ret->has_hooks;
}

/* Likewise. */
static int look_for_asan(const char *path, Elf *elf, void *context)
{
	struct target_report *ret = context;
	const char *name = strrchr(path, '/') + 1;

	(void)elf;
	if (strncmp(name, "libasan.so", 10) != 0 &&
	    strncmp(name, "libclang_rt.asan", 16) != 0)
		return 0;
	memcpy(ret->first_library, path, strlen(path) + 1);
	return 1;
}

/* Reads loader and linkage from the program headers. */
static void look_at_loader(Elf *elf, struct target_report *ret)
{
	const Elf_Data *loader;
	Elf64_Phdr header;
	size_t count, i;

	ret->is_static = true;
	if (elf_getphdrnum(elf, &count) < 0)
		return;
	for (i = 0; i < count && i < SEGMENT_LIMIT && gelf_getphdr(elf, (int)i, &header);
	     i++) {
		if (header.p_type != PT_INTERP)
			continue;
		ret->is_static = false;
		if (header.p_filesz > PATH_MAX)
			return;
		loader = elf_getdata_rawchunk(elf, (int64_t)header.p_offset,
					      header.p_filesz, ELF_T_BYTE);
		ret->is_other_libc =
			loader && loader->d_size &&
			!memmem(loader->d_buf, loader->d_size, "/ld-linux", 9);
		return; /* the kernel takes the first */
	}
}

static void examine_elf(const char *path, struct target_report *ret)
{
	struct elf_file file;
	Elf64_Ehdr header;
	int error;

	ret->is_elf = true;
	ret->is_privileged = is_privileged(path);
	error = elf_file_open(path, &file);
	if (error < 0) /* 32-bit, another byte order, or damaged */
		return;
	ret->machine_ok =
		gelf_getehdr(file.elf, &header) && header.e_machine == EM_X86_64;
	look_at_loader(file.elf, ret);
	look_at_symbols(file.elf, SHT_DYNSYM, ret);
	look_at_symbols(file.elf, SHT_SYMTAB, ret);
	if (!ret->has_hooks && !ret->defines_hooks && !ret->is_static)
		(void)target_libraries(path, file.elf, look_for_hooks, ret);
	if (ret->needs_asan)
		(void)target_libraries(path, file.elf, look_for_asan, ret);
	elf_file_close(&file);
}

int target_examine(const char *path_or_name, struct target_report *ret)
{
	char start[FIRST_LINE_BYTES];
	const char *file;
	int error;

	memset(ret, 0, sizeof(*ret));
	error = find_program(path_or_name, ret->path);
	if (error < 0)
		return error;
	error = follow_scripts(ret, &file);
	/* a program without read permission runs all the same */
	if (error < 0)
		return error;
	if (read_start(file, start) >= 4 && memcmp(start, "\177ELF", 4) == 0)
		examine_elf(file, ret);
	return 0;
}
