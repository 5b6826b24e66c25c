/* SPDX-License-Identifier: MIT */
/* The rule, asked once for each function. */
#include "collector/symbols/library.h"

#include <string.h>

#include "common/base/pattern.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where packages put objects and headers; /usr/src is not among them. */
static const char *const object_places[] = {
	"/lib/",       "/lib32/",     "/lib64/",	 "/usr/lib/",	"/usr/lib32/",
	"/usr/lib64/", "/usr/libx32", "/usr/local/lib/", "/nix/store/", "/gnu/store/",
};
static const char *const source_places[] = {
	"/usr/include/",   "/usr/local/include/", "/usr/lib/",
	"/usr/local/lib/", "/nix/store/",	  "/gnu/store/",
};
/* Those of compilers that lie elsewhere, or were built elsewhere. */
static const char *const source_parts[] = {"/include/c++/", "/libstdc++-v3/", "/libcxx/",
					   "/libcxxabi/"};
static const char *const names[] = {"std::", "__gnu_cxx::", "__cxxabiv1::"};
/* Of the runtime, wherever they lie. */
static const char *const runtimes[] = {
	"libc.", "libstdc++.", "libc++.",    "libc++abi.", "libgcc_s.",	   "ld-linux",
	"libc-", "ld-",	       "libpthread", "libunwind.", "libprofshim.",
};

static bool begins_with_any(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strncmp(text, words[i], strlen(words[i])) == 0)
			return true;
	}
	return false;
}

static bool contains_any(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strstr(text, words[i]))
			return true;
	}
	return false;
}

const char *library_refuse(const char *pattern)
{
	const char *reason = pattern_refuse(pattern);
	regex_t compiled;

	if (reason)
		return reason;
	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB))
		return "it is no regular expression";
	regfree(&compiled);
	return NULL;
}

static bool is_of_package(const char *path)
{
	return strncmp(path, "/usr/local/", 11) != 0 &&
	       (strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/bin/", 5) == 0 ||
		strncmp(path, "/sbin/", 6) == 0);
}

void library_init(struct library *ret, const char *pattern, const char *executable)
{
	*ret = (struct library){.is_installed = executable && is_of_package(executable)};
	ret->has_pattern = pattern && *pattern && !pattern_refuse(pattern) &&
			   regcomp(&ret->pattern, pattern, REG_EXTENDED | REG_NOSUB) == 0;
}

void library_done(struct library *library)
{
	if (library->has_pattern)
		regfree(&library->pattern);
	library->has_pattern = false;
}

/* The objects of a program that a package brought are where those of others are. */
static bool is_library_object(const struct library *library, const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return begins_with_any(base, runtimes, COUNT(runtimes)) ||
	       (!library->is_installed &&
		begins_with_any(path, object_places, COUNT(object_places)));
}

static bool is_asked_for(const struct library *library, const char *text)
{
	return text && library->has_pattern &&
	       regexec(&library->pattern, text, 0, NULL, 0) == 0;
}

/* A program's own operator new is for its users what the library's is. Else the source
 * decides, where it is known: of std::hash<Point> that is the user's. */
bool library_has(const struct library *library, const struct library_function *function)
{
	const char *name = function->name ? function->name : "", *file = function->file;

	if (begins_with_any(name, (const char *const[]){"operator new"}, 1) ||
	    is_asked_for(library, name) || is_asked_for(library, file) ||
	    is_asked_for(library, function->module))
		return true;
	if (function->module && is_library_object(library, function->module))
		return true;
	if (file && file[0] == '/')
		return begins_with_any(file, source_places, COUNT(source_places)) ||
		       contains_any(file, source_parts, COUNT(source_parts));
	return begins_with_any(name, names, COUNT(names));
}
