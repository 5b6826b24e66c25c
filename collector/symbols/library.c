/* SPDX-License-Identifier: MIT */
/* Applies the rule, once for each function. */
#include "collector/symbols/library.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/options.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/names/cxx_canonical.h"
#include "common/names/cxx_name.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where packages install objects and headers; /usr/src does not count. */
static const char *const object_places[] = {
	"/lib/",       "/lib32/",     "/lib64/",	 "/usr/lib/",	"/usr/lib32/",
	"/usr/lib64/", "/usr/libx32", "/usr/local/lib/", "/nix/store/", "/gnu/store/",
};
static const char *const source_places[] = {
	"/usr/include/",   "/usr/local/include/", "/usr/lib/",
	"/usr/local/lib/", "/nix/store/",	  "/gnu/store/",
};
/* Sources of compilers that lie, or were built, elsewhere. */
static const char *const source_parts[] = {"/include/c++/", "/libstdc++-v3/", "/libcxx/",
					   "/libcxxabi/"};
static const char *const names[] = {"std::", "__gnu_cxx::", "__cxxabiv1::"};
/* Startup code, and code that fills the pool for exceptions, if statically linked. */
static const char *const whole_names[] = {"_start", "_GLOBAL__sub_I_eh_alloc.cc"};
/* Libraries of the runtime, wherever they lie. */
static const char *const runtimes[] = {
	"libc.", "libstdc++.", "libc++.",    "libc++abi.", "libgcc_s.",	   "ld-linux",
	"libc-", "ld-",	       "libpthread", "libunwind.", "libprofshim.",
};

static bool begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static bool equals(const char *text, const char *word)
{
	return strcmp(text, word) == 0;
}

static bool contains(const char *text, const char *word)
{
	return strstr(text, word) != NULL;
}

static bool does_with_any(bool (*does)(const char *text, const char *word),
			  const char *text, const char *const *words, size_t count)
{
	while (count && !does(text, words[count - 1]))
		count--;
	return count != 0;
}

struct library_rule {
	regex_t pattern;
	bool is_not;
};

/* Returns a copy (free) of the rule at `at` without the "!" of a negative one. *ret_next:
 * after it, or NULL. */
static char *take_rule(const char *at, bool *ret_is_not, const char **ret_next)
{
	size_t size = strcspn(at, "\n");

	*ret_next = at[size] ? at + size + 1 : NULL;
	*ret_is_not = *at == '!';
	return xstrndup(at + *ret_is_not, size - *ret_is_not);
}

/* Returns NULL, or why it failed; then nothing is to be freed. */
static const char *compile(regex_t *ret, const char *pattern)
{
	const char *reason = pattern_refuse(pattern);

	if (reason)
		return reason;
	if (!*pattern)
		return "a rule is empty";
	return regcomp(ret, pattern, REG_EXTENDED | REG_NOSUB)
		       ? "it is no regular expression"
		       : NULL;
}

const char *library_refuse(const char *rules)
{
	const char *reason = NULL, *next;
	regex_t compiled;
	bool is_not;

	for (; rules && !reason; rules = next) {
		char *pattern = take_rule(rules, &is_not, &next);

		reason = compile(&compiled, pattern);
		if (!reason)
			regfree(&compiled);
		free(pattern);
	}
	return reason;
}

static bool is_of_package(const char *path)
{
	return strncmp(path, "/usr/local/", 11) != 0 &&
	       (strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/bin/", 5) == 0 ||
		strncmp(path, "/sbin/", 6) == 0);
}

void library_init(struct library *ret, const char *rules, const char *executable)
{
	const char *next;

	*ret = (struct library){.is_installed = executable && is_of_package(executable)};
	for (; rules; rules = next) {
		struct library_rule rule;
		char *pattern = take_rule(rules, &rule.is_not, &next);
		const char *reason = compile(&rule.pattern, pattern);

		if (reason && !ret->refused) {
			ret->refused = reason;
		} else if (!reason) {
			ARRAY_ADD(ret->rules, ret->rule_count) = rule;
		}
		free(pattern);
	}
}

void library_done(struct library *library)
{
	for (size_t i = 0; i < library->rule_count; i++)
		regfree(&library->rules[i].pattern);
	free(library->rules);
	*library = (struct library){.rule_count = 0};
}

/* A packaged program's own objects lie where libraries do, so they do not count. */
static bool is_library_object(const struct library *library, const char *path)
{
	const char *base = basename(path);

	return does_with_any(begins, base, runtimes, COUNT(runtimes)) ||
	       (!library->is_installed &&
		does_with_any(begins, path, object_places, COUNT(object_places)));
}

static bool fits(const struct library_rule *rule, const char *text)
{
	return text && regexec(&rule->pattern, text, 0, NULL, 0) == 0;
}

/* What the user's rules say: 1: library; 0: not; -1: nothing. Names are matched as
 * reports show them, without parameters: their types are not the function's. */
static int is_asked_for(const struct library *library,
			const struct library_function *function)
{
	ended_by(strbuf_free) struct strbuf name = {0};
	int answer = -1;

	if (!library->rule_count)
		return -1;
	cxx_canonical(&name, function->name ? function->name : "", CXX_NAME);
	for (size_t i = library->rule_count; answer < 0 && i-- > 0;) {
		const struct library_rule *rule = &library->rules[i];

		if (fits(rule, strbuf_text(&name)) || fits(rule, function->file) ||
		    fits(rule, function->module))
			answer = !rule->is_not;
	}
	return answer;
}

/* A program's own operator new counts as library, like the standard one. Otherwise the
 * source file decides if known: for std::hash<Point> it is the user's. */
bool library_has(const struct library *library, const struct library_function *function)
{
	const char *name = function->name ? cxx_name_parts(function->name).name : "";
	const char *file = function->file;
	int asked = is_asked_for(library, function);

	if (asked >= 0)
		return asked;
	if (begins(name, "operator new"))
		return true;
	if (function->module && is_library_object(library, function->module))
		return true;
	if (file && file[0] == '/')
		return does_with_any(begins, file, source_places, COUNT(source_places)) ||
		       does_with_any(contains, file, source_parts, COUNT(source_parts));
	return does_with_any(begins, name, names, COUNT(names)) ||
	       does_with_any(equals, name, whole_names, COUNT(whole_names));
}
