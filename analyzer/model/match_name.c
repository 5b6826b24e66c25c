/* SPDX-License-Identifier: MIT */
/*
 * Names of functions reduced to what survives a rebuild. Must not fail: a name that is
 * no C++ stays as it is.
 */
#include "analyzer/model/match_name.h"

#include "common/names/cxx_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

void match_add_base(struct strbuf *key, const char *path)
{
	const char *base = path ? strrchr(path, '/') : NULL, *version;

	base = base ? base + 1 : path;
	if (!base)
		return;
	version = strstr(base, ".so.");
	strbuf_add(key, base, version ? (size_t)(version - base) + 3 : strlen(base));
}

void match_add_stripped(struct strbuf *key, const char *linkage_name)
{
	size_t stem = cxx_name_stem(linkage_name), size = strcspn(linkage_name, "@");

	strbuf_add(key, linkage_name, stem < size ? stem : size);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* 'lambda1'(int) of clang as {lambda(int)#3} of GCC: clang begins with 'lambda', then
 * 'lambda0'. Returns how much of text it was, 0: no lambda. */
static size_t add_lambda(struct strbuf *key, const char *text)
{
	size_t name = strlen("'lambda"), size, depth = 0;
	long number = 1;

	if (!starts_with(text, "'lambda"))
		return 0;
	if (isdigit((unsigned char)text[name]))
		number = strtol(text + name, NULL, 10) + 2;
	name += strspn(text + name, "0123456789");
	if (text[name] != '\'' || text[name + 1] != '(')
		return 0;
	for (size = name + 1; text[size]; size++) {
		depth += text[size] == '(';
		if (text[size] == ')' && --depth == 0)
			break;
	}
	if (!text[size])
		return 0;
	strbuf_puts(key, "{lambda");
	strbuf_add(key, text + name + 1, size - name);
	strbuf_printf(key, "#%ld}", number);
	return size + 1;
}

/* Copies name with every part in one spelling. */
static void add_respelled(struct strbuf *key, const char *name, const char *file)
{
	static const char *const dropped[] = {"__cxx11::", "__1::", "__ndk1::"};
	static const char anonymous[] = "(anonymous namespace)";

	for (const char *at = name; *at;) {
		bool starts_word = at == name || !is_word(at[-1]);
		size_t skipped = 0;

		for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
			if (starts_word && starts_with(at, dropped[i]))
				skipped = strlen(dropped[i]);
		if (starts_with(at, "[abi:") && strchr(at, ']')) {
			skipped = strcspn(at, "]") + 1;
		} else if (starts_with(at, anonymous)) {
			strbuf_putc(key, '{');
			match_add_base(key, file);
			strbuf_putc(key, '}');
			skipped = sizeof(anonymous) - 1;
		} else if (*at == '\'') {
			skipped = add_lambda(key, at);
		}
		if (!skipped)
			strbuf_putc(key, *at++);
		at += skipped;
	}
}

void match_add_canonical(struct strbuf *key, const char *name, const char *file)
{
	struct strbuf respelled = {0};
	struct cxx_name parts;

	add_respelled(&respelled, name, file);
	parts = cxx_name_parts(strbuf_text(&respelled));
	/* Without parameters a space parts no return type: "0x12 (libm.so)". */
	strbuf_puts(key, *parts.parameters ? parts.name : strbuf_text(&respelled));
	strbuf_free(&respelled);
}

/* Copies [from, end) with template arguments as <>. Returns whether there were any. */
static bool add_without_arguments(struct strbuf *key, const char *from, const char *end)
{
	bool any = false;

	for (const char *at = from; at < end;) {
		if (cxx_name_is_operator(from, at)) {
			const char *behind = cxx_name_skip_operator(at);

			behind = behind < end ? behind : end;
			strbuf_add(key, at, (size_t)(behind - at));
			at = behind;
		} else if (*at == '<') {
			any = true;
			strbuf_puts(key, "<>");
			at = cxx_name_closing(at);
			at += *at != '\0';
		} else {
			strbuf_putc(key, *at++);
		}
	}
	return any;
}

bool match_add_family(struct strbuf *key, const char *canonical)
{
	struct cxx_name parts = cxx_name_parts(canonical);
	size_t start = key->size;

	if (add_without_arguments(key, parts.name, parts.parameters))
		return true;
	strbuf_truncate(key, start);
	return false;
}

void match_add_unqualified(struct strbuf *key, const char *canonical)
{
	struct cxx_name parts = cxx_name_parts(canonical);
	const char *end = parts.last;

	while (end < parts.parameters && *end != '<')
		end = cxx_name_is_operator(parts.last, end) ? cxx_name_skip_operator(end)
							    : end + 1;
	end = end < parts.parameters ? end : parts.parameters;
	strbuf_add(key, parts.last, (size_t)(end - parts.last));
}
