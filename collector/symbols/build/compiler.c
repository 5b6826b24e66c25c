/* SPDX-License-Identifier: MIT */
/* Reading .comment and producers. */
#include "collector/symbols/build/compiler.h"

#include <string.h>

#include "collector/symbols/elf.h"

enum compiler compiler_of_file(Elf *elf)
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

/* "GNU C++17 12.2.0 -O2 -g", "Debian clang version 14.0.6", "rustc version 1.63.0". gcc
 * tells its switches unless it is told not to; clang only with -grecord-command-line, and
 * then begins with its own path. */
void compiler_read(const char *producer, struct compiler_flags *ret)
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
