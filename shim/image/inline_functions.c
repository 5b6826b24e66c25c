/* SPDX-License-Identifier: MIT */
/*
 * Inline functions and templates are weak symbols, wherever they come from, or local ones
 * where they are static; those of the language's library that no other file could need
 * are local, and known by their names, as is the library itself where it was linked in.
 * Nothing tells static functions of a header from those of the file that includes it: who
 * called them is kept of all, and who reads debug information decides.
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

static int is_library_of_cxx(const char *name)
{
	return begins(name, "libstdc++.so") || begins(name, "libc++.so");
}

/* The unwinder, or what one inside of the object needs. */
static int is_of_unwinding(const char *name)
{
	return begins(name, "libgcc_s.so") || strcmp(name, "_dl_find_object") == 0 ||
	       strcmp(name, "dl_iterate_phdr") == 0;
}

/* Is the object linked to a library of C++, or is there perhaps one in it? Others need
 * not be read. */
static int is_of_cxx(const struct segment_module *module, const ElfW(Dyn) * dynamic)
{
	const char *strings = NULL, *end;
	uint64_t size = 0;

	for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = (const char *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_STRSZ)
			size = entry->d_un.d_val;
	}
	/* the loader leaves it an address of the file where it cannot write */
	if ((uint64_t)strings < module->start || (uint64_t)strings >= module->end ||
	    size > module->end - (uint64_t)strings || !size || strings[size - 1])
		return 0;
	end = strings + size;
	for (const char *name = strings; name < end; name += strlen(name) + 1) {
		if (is_library_of_cxx(name) || is_of_unwinding(name))
			return 1;
	}
	return 0;
}

/* Static functions have an L in front of their names, where they are in a namespace in
 * front of the number of its letters: _ZN2nsL4makeEv; static templates have arguments, in
 * whose names is an I. Some that are not have, too. */
static int may_be_static(const char *name)
{
	if (begins(name, "_ZL") || strchr(name, 'I'))
		return 1;
	for (const char *at = strchr(name, 'L'); at; at = strchr(at + 1, 'L')) {
		if (at[1] >= '0' && at[1] <= '9')
			return 1;
	}
	return 0;
}

static int is_of_header(const struct symbols_function *function)
{
	static const char *const names[] = {
		"_ZSt",		 "_ZNSt",	   "_ZNKSt",
		"_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1",
		"__cxa_",	 "_Znw",	   "_Zna"};
	const char *name = function->name;

	/* parts and clones of what is weak are not, nor is what is static */
	if (function->is_weak || strchr(name, '.') ||
	    (function->is_local && may_be_static(name)))
		return begins(name, "_Z");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (begins(name, names[i]))
			return 1;
	}
	return 0;
}

static void count(void *data, const struct symbols_function *function)
{
	*(uint64_t *)data += (uint64_t)is_of_header(function);
}

static void add(void *data, const struct symbols_function *function)
{
	uint64_t *left = data; /* the file may be another one by now */

	if (!*left || !is_of_header(function))
		return;
	headers_add(function->address);
	--*left;
}

void symbols_look_for_headers(const struct segment_module *module, const void *dynamic)
{
	const char *base = strrchr(module->path, '/');
	uint64_t function_count = 0;

	if (is_library_of_cxx(base ? base + 1 : module->path)) {
		headers_add_library(module->start, module->end);
		return;
	}
	if (!dynamic || !is_of_cxx(module, dynamic))
		return;
	symbols_each(module, count, &function_count);
	if (!headers_begin(module->start, module->end, function_count))
		return;
	symbols_each(module, add, &function_count);
	headers_end();
}
