/* SPDX-License-Identifier: MIT */
/*
 * Names of functions reduced to what survives a rebuild. Must not fail: a name that is
 * no C++ stays as it is.
 */
#include "analyzer/statistics/match/match_name.h"

#include "common/names/cxx_canonical.h"
#include "common/names/cxx_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LEAST_WORD 3

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

/* The number in C1, D0, CI2 and the like at `at`, or NULL. */
static const char *variant_at(const char *at)
{
	const char *number = at + (at[0] == 'C' && at[1] == 'I' ? 2 : 1);

	if ((*at != 'C' && *at != 'D') || *number < '0' || *number > '4')
		return NULL;
	return number[1] && strchr("EIB", number[1]) ? number : NULL;
}

bool match_add_family(struct strbuf *key, const char *linkage_name)
{
	const char *from = linkage_name;
	bool has_variant = false;

	if (!starts_with(linkage_name, "_Z")) {
		strbuf_puts(key, linkage_name);
		return false;
	}
	for (const char *at = linkage_name; *at; at++) {
		const char *number = variant_at(at);

		if (!number)
			continue;
		strbuf_add(key, from, (size_t)(number - from));
		strbuf_putc(key, '*');
		at = number;
		from = number + 1;
		has_variant = true;
	}
	strbuf_puts(key, from);
	return has_variant;
}

/* In the order in which they call each other: the one that gets memory comes first. */
static int rank_of(char letter, char number)
{
	return letter == 'C' && number == '3' ? 0 : number - '0';
}

bool match_calls_variant(const char *linkage_name, const char *other)
{
	size_t same = 0;
	char letter;

	while (linkage_name[same] && linkage_name[same] == other[same])
		same++;
	if (!same || !linkage_name[same] || !other[same] ||
	    strcmp(linkage_name + same + 1, other + same + 1) != 0)
		return false;
	letter = linkage_name[same - 1] == 'I' && same > 1 ? linkage_name[same - 2]
							   : linkage_name[same - 1];
	return (letter == 'C' || letter == 'D') &&
	       rank_of(letter, linkage_name[same]) < rank_of(letter, other[same]);
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

/* Copies name with what differs between compilers, and between files, in one spelling. */
static void add_respelled(struct strbuf *key, const char *name, const char *file)
{
	static const char anonymous[] = "(anonymous namespace)";

	for (const char *at = name; *at;) {
		size_t skipped = 0;

		if (starts_with(at, anonymous)) {
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

static void add_spelled(struct strbuf *key, const char *name, const char *file,
			enum cxx_detail detail)
{
	struct strbuf respelled = {0};

	add_respelled(&respelled, name, file);
	cxx_canonical(key, strbuf_text(&respelled), detail);
	strbuf_free(&respelled);
}

void match_add_canonical(struct strbuf *key, const char *name, const char *file)
{
	add_spelled(key, name, file, CXX_PARAMETERS);
}

/* Copies a name without template arguments. */
static void add_bare(struct strbuf *key, const char *name)
{
	for (const char *at = name; *at;) {
		if (cxx_name_is_operator(name, at)) {
			const char *behind = cxx_name_skip_operator(at);

			strbuf_add(key, at, (size_t)(behind - at));
			at = behind;
		} else if (*at == '<') {
			at = cxx_name_closing(at);
			at += *at != '\0';
		} else {
			strbuf_putc(key, *at++);
		}
	}
}

void match_add_qualified(struct strbuf *key, const char *full, const char *file)
{
	struct strbuf name = {0};

	add_spelled(&name, full, file, CXX_NAME);
	add_bare(key, strbuf_text(&name));
	strbuf_free(&name);
}

/* Behind the last "::" of a bare name; of a lambda behind the one before. */
static const char *last_part(const char *name)
{
	const char *parts[2] = {name, name};

	for (const char *at = name; *at;) {
		if (cxx_name_is_operator(name, at)) {
			at = cxx_name_skip_operator(at);
		} else if (starts_with(at, "::")) {
			at += 2;
			parts[0] = parts[1];
			parts[1] = at;
		} else if (strchr("({[", *at)) {
			at = cxx_name_closing(at);
			at += *at != '\0';
		} else {
			at++;
		}
	}
	return *parts[1] == '{' ? parts[0] : parts[1];
}

void match_add_last(struct strbuf *key, const char *full)
{
	struct strbuf bare = {0};

	match_add_qualified(&bare, full, NULL);
	strbuf_puts(key, last_part(strbuf_text(&bare)));
	strbuf_free(&bare);
}

/* Letters of one case up to "_", a digit or the next capital: "parse", "Line". */
static size_t word_size(const char *text)
{
	size_t size = isalpha((unsigned char)*text) ? 1 : 0;

	while (size && isalpha((unsigned char)text[size]) &&
	       !(isupper((unsigned char)text[size]) &&
		 islower((unsigned char)text[size - 1])))
		size++;
	return size;
}

bool match_share_word(const char *a, const char *b)
{
	for (; *a; a++) {
		size_t size = word_size(a);

		for (const char *at = b; size >= LEAST_WORD && *at; at++) {
			size_t other = word_size(at);

			if (other == size && strncasecmp(a, at, size) == 0)
				return true;
			at += other ? other - 1 : 0;
		}
		a += size ? size - 1 : 0;
	}
	return false;
}
