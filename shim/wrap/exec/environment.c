/* SPDX-License-Identifier: MIT */
/*
 * Environ as main() and its children see it. Runs on: __libc_start_main. Not the
 * constructor, because libc's own constructor, which comes after ours, sets environ to
 * what the kernel passed. Must not show main() what we added for ourselves to an
 * environment that the program made.
 */
#include "shim/wrap/exec/environment.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "shim/core/process.h"
#include "shim/wrap/exec/additions.h"

#define RUN "PROFSHIM_RUN="
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
