/* SPDX-License-Identifier: MIT */
/*
 * Inline functions and templates are weak symbols, wherever they come from; those of the
 * language's library that no other file could need are local, and known by their names.
 */
#include "shim/image/symbols.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "shim/lane/headers.h"

static int begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Is the object linked to a library of C++? Others need not be read. */
static int is_of_cxx(const struct segment_module *module, const ElfW(Dyn) * dynamic)
{
	const char *strings = NULL;

	for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = (const char *)entry->d_un.d_ptr;
	}
	/* the loader leaves it an address of the file where it cannot write */
	if ((uint64_t)strings < module->start || (uint64_t)strings >= module->end)
		return 0;
	for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_NEEDED &&
		    (begins(strings + entry->d_un.d_val, "libstdc++.so") ||
		     begins(strings + entry->d_un.d_val, "libc++.so")))
			return 1;
	}
	return 0;
}

static int is_of_header(const char *name, int is_weak)
{
	static const char *const names[] = {"_ZSt", "_ZNSt", "_ZNKSt", "_ZN9__gnu_cxx",
					    "_ZNK9__gnu_cxx"};

	if (is_weak)
		return begins(name, "_Z");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (begins(name, names[i]))
			return 1;
	}
	return 0;
}

static void count(void *data, const struct symbols_function *function)
{
	*(uint64_t *)data += (uint64_t)is_of_header(function->name, function->is_weak);
}

static void add(void *data, const struct symbols_function *function)
{
	uint64_t *left = data; /* the file may be another one by now */

	if (!*left || !is_of_header(function->name, function->is_weak))
		return;
	headers_add(function->address);
	--*left;
}

void symbols_look_for_headers(const struct segment_module *module, const void *dynamic)
{
	uint64_t function_count = 0;

	if (!dynamic || !is_of_cxx(module, dynamic))
		return;
	symbols_each(module, count, &function_count);
	if (!headers_begin(module->start, module->end, function_count))
		return;
	symbols_each(module, add, &function_count);
	headers_end();
}
