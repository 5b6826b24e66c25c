/* SPDX-License-Identifier: MIT */
/*
 * Adds LD_PRELOAD and PROFSHIM_RUN to an environment, and takes them out. Runs on: any
 * thread and context; vfork children too. Must not read memory that cannot be read: the
 * kernel answers a bad environment with EFAULT, and so must we.
 */
#include "shim/wrap/begin.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/segment.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"

#define PRELOAD "LD_PRELOAD="
#define PRELOAD_LENGTH (sizeof(PRELOAD) - 1)
#define RUN "PROFSHIM_RUN="
#define RUN_LENGTH (sizeof(RUN) - 1)
#define MARK_LENGTH (sizeof(EXEC_MARK) - 1)
#define PAGE_BYTES 4096ul

/* A list so long is left as it is. */
#define LIST_LIMIT 32768

static const char *run_entry; /* NULL: nothing is added */
static char preload_entry[SEGMENT_PATH_MAX + PRELOAD_LENGTH];
static size_t preload_length;
static const char *own_name; /* the last component of the library's path */

#define own_path (preload_entry + PRELOAD_LENGTH)
#define own_path_length (preload_length - PRELOAD_LENGTH)

/* The loader knows us by the name that LD_PRELOAD has, which may be relative. */
static int find_own_path(void)
{
	char cwd[SEGMENT_PATH_MAX] = "";
	Dl_info info;
	int length;

	if (!dladdr((void *)additions_begin, &info) || !info.dli_fname ||
	    !strchr(info.dli_fname, '/'))
		return -1;
	if (info.dli_fname[0] != '/' && (!getcwd(cwd, sizeof(cwd) - 1) || cwd[0] != '/'))
		return -1;
	length = snprintf(preload_entry, sizeof(preload_entry), PRELOAD "%s%s%s", cwd,
			  cwd[0] ? "/" : "", info.dli_fname);
	/* blanks and colons separate the items of the list */
	if (length < 0 || (size_t)length >= sizeof(preload_entry) ||
	    strpbrk(own_path, ": "))
		return -1;
	preload_length = (size_t)length;
	own_name = strrchr(own_path, '/') + 1;
	return 0;
}

void additions_begin(const char *run_variable)
{
	if (find_own_path() == 0 && process_facts.run->follow)
		run_entry = run_variable;
}

/* Length of a string that may lie in memory that cannot be read; -1 when it does, or is
 * longer than the limit. */
static long readable_length(const char *text, size_t limit)
{
	for (size_t i = 0; i < limit; i++) {
		if ((i == 0 || ((uintptr_t)(text + i) & (PAGE_BYTES - 1)) == 0) &&
		    !readable_address((uintptr_t)(text + i)))
			return -1;
		if (!text[i])
			return (long)i;
	}
	return -1;
}

/* Can enough of an entry be read to tell its name? page: the last one asked about. */
static int name_is_readable(const char *entry, uintptr_t *page)
{
	uintptr_t last = (uintptr_t)entry + MARK_LENGTH;

	if (((uintptr_t)entry & ~(PAGE_BYTES - 1)) != *page &&
	    !readable_address((uintptr_t)entry))
		return 0;
	*page = (uintptr_t)entry & ~(PAGE_BYTES - 1);
	if ((last & ~(PAGE_BYTES - 1)) == *page)
		return 1;
	/* a short entry may end where the memory does */
	for (const char *at = entry; *at; at++) {
		if (((uintptr_t)(at + 1) & (PAGE_BYTES - 1)) == 0)
			return readable_address((uintptr_t)(at + 1));
	}
	return 1;
}

/* Finds a name's item in a list separated by blanks and colons: any path to it. */
static int lists_us(const char *list)
{
	size_t name_length = strlen(own_name);

	while (*list) {
		size_t length = strcspn(list, ": ");

		if (length >= name_length &&
		    !memcmp(list + length - name_length, own_name, name_length) &&
		    (length == name_length || list[length - name_length - 1] == '/'))
			return 1;
		list += length + (list[length] != '\0');
	}
	return 0;
}

/* Sanitizers' runtimes end the program when they do not come first. */
static int wants_to_be_first(const char *list)
{
	static const char *const runtimes[] = {"libasan", "libtsan", "liblsan",
					       "libubsan", "libclang_rt"};

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (strstr(list, runtimes[i]))
			return 1;
	}
	return 0;
}

/* What to do about the program's own LD_PRELOAD. -1: nothing can be done. */
static int plan_list(struct additions_plan *plan, const char *entry)
{
	long length = readable_length(entry, LIST_LIMIT);

	if (length < 0)
		return -1;
	if (lists_us(entry + PRELOAD_LENGTH))
		return 0;
	plan->added_preload =
		wants_to_be_first(entry) ? EXEC_ADDED_LAST : EXEC_ADDED_FIRST;
	plan->size += (size_t)length + own_path_length + 2;
	return 0;
}

/* Reads through the environment. -1 when it cannot be read. */
static int scan(struct additions_plan *plan, char *const *environment, int *ret_has_run)
{
	uintptr_t array_page = 1, text_page = 1; /* of none */
	size_t count = 0, preload = SIZE_MAX;

	for (;; count++) {
		uintptr_t page = (uintptr_t)(environment + count) & ~(PAGE_BYTES - 1);
		const char *entry;

		if (page != array_page && !readable_address(page))
			return -1;
		array_page = page;
		entry = environment[count];
		if (!entry)
			break;
		if (!name_is_readable(entry, &text_page))
			return -1;
		if (!strncmp(entry, PRELOAD, PRELOAD_LENGTH))
			preload = count; /* the loader takes the last one */
		else if (!strncmp(entry, RUN, RUN_LENGTH))
			*ret_has_run = 1;
	}
	plan->count = count;
	plan->preload = preload == SIZE_MAX ? count : preload;
	return 0;
}

int additions_plan(struct additions_plan *plan, char *const *environment)
{
	int has_run = 0;

	memset(plan, 0, sizeof(*plan));
	if (!run_entry || (environment && scan(plan, environment, &has_run) < 0))
		return 0;
	plan->adds_run = !has_run;
	if (plan->preload == plan->count)
		plan->added_preload = EXEC_ADDED_PRELOAD;
	else if (plan_list(plan, environment[plan->preload]) < 0)
		return 0;
	if (!plan->adds_run && !plan->added_preload)
		return 0;
	/* the run, our own LD_PRELOAD, the mark and the end, and the mark's text */
	plan->size += (plan->count + 4) * sizeof(char *) + sizeof(EXEC_MARK) + 2;
	plan->size = (plan->size + sizeof(char *) - 1) & ~(sizeof(char *) - 1);
	/* in a new root, or for a new user, we may be out of reach */
	return SYSCALL(SYS_access, own_path, R_OK, 0, 0, 0, 0) == 0;
}

static char *append(char *to, const char *text)
{
	size_t length = strlen(text);

	memcpy(to, text, length + 1);
	return to + length;
}

static char *fill_list(const struct additions_plan *plan, const char *theirs, char *text)
{
	theirs += PRELOAD_LENGTH;
	if (plan->added_preload == EXEC_ADDED_FIRST) {
		text = append(text, preload_entry);
		text = append(text, ":");
		return append(text, theirs) + 1;
	}
	text = append(text, PRELOAD);
	text = append(text, theirs);
	text = append(text, ":");
	return append(text, own_path) + 1;
}

char **additions_fill(const struct additions_plan *plan, char *const *environment,
		      char *storage)
{
	char **entries = (char **)storage, letters[3] = "";
	char *text = storage + (plan->count + 4) * sizeof(char *);
	size_t count = plan->count, letter = 0;

	memcpy(entries, environment, count * sizeof(*entries));
	if (plan->added_preload == EXEC_ADDED_PRELOAD) {
		entries[count++] = preload_entry;
	} else if (plan->added_preload) {
		entries[plan->preload] = text;
		text = fill_list(plan, environment[plan->preload], text);
	}
	if (plan->added_preload)
		letters[letter++] = plan->added_preload;
	if (plan->adds_run) {
		entries[count++] = (char *)run_entry;
		letters[letter++] = EXEC_ADDED_RUN;
	}
	entries[count++] = text;
	append(append(text, EXEC_MARK), letters);
	entries[count] = NULL;
	return entries;
}

size_t additions_strip_size(char *const *environment)
{
	size_t size = sizeof(char *);
	int lists = 0;

	if (!own_name || !environment)
		return 0;
	for (char *const *entry = environment; *entry; entry++) {
		size += sizeof(char *);
		if (strncmp(*entry, PRELOAD, PRELOAD_LENGTH) != 0)
			continue;
		lists |= lists_us(*entry + PRELOAD_LENGTH);
		size += strlen(*entry) + 1;
	}
	return lists ? size : 0;
}

/* Copies LD_PRELOAD's list without our library, not longer than it was. Returns the end,
 * `text` when nothing is left of it. */
static char *copy_others(const char *list, char *text)
{
	char *start = append(text, PRELOAD), *end = start;

	while (*list) {
		size_t length = strcspn(list, ": ");
		char item[SEGMENT_PATH_MAX];

		if (length > 0 && length < sizeof(item)) {
			memcpy(item, list, length);
			item[length] = '\0';
			if (!lists_us(item)) {
				if (end > start)
					*end++ = ':';
				end = append(end, item);
			}
		}
		list += length + (list[length] != '\0');
	}
	*end = '\0';
	return end > start ? end + 1 : text;
}

char **additions_strip(char *const *environment, char *storage)
{
	char **entries = (char **)storage, *text, *end;
	size_t count = 0;

	while (environment[count])
		count++;
	text = storage + (count + 1) * sizeof(char *);
	for (; *environment; environment++) {
		if (!strncmp(*environment, RUN, RUN_LENGTH))
			continue;
		*entries = *environment;
		if (!strncmp(*environment, PRELOAD, PRELOAD_LENGTH)) {
			end = copy_others(*environment + PRELOAD_LENGTH, text);
			if (end == text)
				continue;
			*entries = text;
			text = end;
		}
		entries++;
	}
	*entries = NULL;
	return (char **)storage;
}

/* Only pointers are stored: the program's texts may be constants, and others may read. */
void additions_leave(void)
{
	static char text[PRELOAD_LENGTH + SEGMENT_PATH_MAX];

	for (char **entry = environ; own_name && entry && *entry; entry++) {
		if (strncmp(*entry, PRELOAD, PRELOAD_LENGTH) != 0 ||
		    strlen(*entry) >= sizeof(text) || !lists_us(*entry + PRELOAD_LENGTH))
			continue;
		copy_others(*entry + PRELOAD_LENGTH, text);
		*entry = text;
		return;
	}
}

/* The program's own list is what remains. */
static void remove_item(char *entry, int is_first)
{
	char *list = entry + PRELOAD_LENGTH;
	char *separator = is_first ? strchr(list, ':') : strrchr(list, ':');

	if (separator && is_first)
		memmove(list, separator + 1, strlen(separator + 1) + 1);
	else if (separator)
		*separator = '\0';
}

/* Does an environment carry the mark? */
static int additions_are_in(char *const *environment)
{
	for (; environment && *environment; environment++) {
		if (!strncmp(*environment, EXEC_MARK, MARK_LENGTH))
			return 1;
	}
	return 0;
}

/* Collects the letters of all marks; finds the LD_PRELOAD that counts. */
static void read_marks(char *const *environment, char letters[16], size_t *ret_preload)
{
	size_t count = 0;

	*ret_preload = SIZE_MAX;
	for (size_t i = 0; environment[i]; i++) {
		const char *entry = environment[i];

		if (!strncmp(entry, PRELOAD, PRELOAD_LENGTH))
			*ret_preload = i;
		if (strncmp(entry, EXEC_MARK, MARK_LENGTH) != 0)
			continue;
		for (entry += MARK_LENGTH; *entry && count < 15; entry++)
			letters[count++] = *entry;
	}
	letters[count] = '\0';
}

/* Makes it what the program gave; the array and LD_PRELOAD's text are
 * changed in place. Returns whether PROFSHIM_RUN was among the additions. */
static int additions_remove(char **environment)
{
	size_t preload, kept = 0;
	char letters[16];
	int run_is_ours;

	if (!additions_are_in(environment))
		return 0;
	read_marks(environment, letters, &preload);
	run_is_ours = strchr(letters, EXEC_ADDED_RUN) != NULL;
	if (preload != SIZE_MAX && strchr(letters, EXEC_ADDED_FIRST))
		remove_item(environment[preload], 1);
	else if (preload != SIZE_MAX && strchr(letters, EXEC_ADDED_LAST))
		remove_item(environment[preload], 0);
	for (size_t i = 0; environment[i]; i++) {
		if (!strncmp(environment[i], EXEC_MARK, MARK_LENGTH) ||
		    (i == preload && strchr(letters, EXEC_ADDED_PRELOAD)) ||
		    (!strncmp(environment[i], RUN, RUN_LENGTH) && run_is_ours))
			continue;
		environment[kept++] = environment[i];
	}
	environment[kept] = NULL;
	return run_is_ours;
}

/*
 * Environ as main() and its children see it. Runs on: __libc_start_main. Not the
 * constructor, because libc's own constructor, which comes after ours, sets environ to
 * what the kernel passed. Must not show main() what we added for ourselves to an
 * environment that the program made.
 */

#define AUXILIARY_LIMIT 64

/* Entries of the auxiliary vector, which the kernel puts behind the environment. */
static size_t count_auxiliary(const Elf64_auxv_t *vector)
{
	size_t count = 0;

	while (count < AUXILIARY_LIMIT && vector[count].a_type != AT_NULL)
		count++;
	return count;
}

/* Replaces the entry PROFSHIM_RUN, or adds one. */
static void set_run(char **entries, const char *run_variable)
{
	size_t count = 0, kept = 0;

	for (; entries[count]; count++) {
		if (strncmp(entries[count], RUN, sizeof(RUN) - 1) != 0)
			entries[kept++] = entries[count];
	}
	entries[kept++] = (char *)run_variable;
	entries[kept] = NULL;
}

/* The copy lives for ever, like the original. Programs that look for the auxiliary
 * vector behind the environment find it there, too. */
void environment_prepare(char **kernel_environment, const char *run_variable)
{
	size_t count = 0, auxiliary = 0;
	Elf64_auxv_t *vector;
	char **copy;

	if (!environ || (!run_variable && !additions_are_in(environ)))
		return;
	while (environ[count])
		count++;
	vector = (Elf64_auxv_t *)(environ + count + 1);
	if (environ == kernel_environment)
		auxiliary = count_auxiliary(vector);
	copy = process_map(
		(count + 2) * sizeof(*copy) + (auxiliary + 1) * sizeof(*vector), 0);
	if (!copy)
		return;
	memcpy(copy, environ, (count + 1) * sizeof(*copy));
	if (!additions_remove(copy) && run_variable)
		set_run(copy, run_variable);
	for (count = 0; copy[count]; count++)
		;
	memcpy(copy + count + 1, vector, auxiliary * sizeof(*vector));
	environ = copy;
}
