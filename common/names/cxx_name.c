/* SPDX-License-Identifier: MIT */
/* Takes demangled names apart, as libiberty writes them. */
#include "common/names/cxx_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

/* The length of an operator's sign: "==" of "operator==<int>". */
static size_t sign_size(const char *at)
{
	/* the longer first */
	static const char *const signs[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<",
					    ">>",  "<=",  ">=",	 "==",	"!=", "&&", "||",
					    "++",  "--",  "->",	 "+=",	"-=", "*=", "/=",
					    "%=",  "^=",  "&=",	 "|="};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (cxx_starts(at, signs[i]))
			return strlen(signs[i]);
	return *at && strchr("<>=!+-*/%^&|~,", *at) ? 1 : 0;
}

const char *cxx_name_skip_operator(const char *at)
{
	at += strlen("operator");
	if (*at == ' ' || cxx_is_word(*at))
		return at + strcspn(at, "(<");
	at += sign_size(at);
	/* "operator< <int>" has a space for legibility */
	return cxx_starts(at, " <") ? at + 1 : at;
}

bool cxx_name_is_operator(const char *name, const char *at)
{
	return cxx_starts(at, "operator") && (at == name || !cxx_is_word(at[-1])) &&
	       !cxx_is_word(at[8]);
}

/* The bracket that closes the one at text, or the end of the text. */
static const char *cxx_name_closing(const char *text)
{
	size_t depth = 0;

	for (; *text; text++) {
		if (strchr("(<[{", *text))
			depth++;
		/* not the arrow of a trailing return type */
		else if (strchr(")>]}", *text) && !(*text == '>' && text[-1] == '-') &&
			 --depth == 0)
			return text;
	}
	return text;
}

const char *cxx_name_skip_qualifiers(const char *at)
{
	static const char *const words[] = {" const", " volatile", " &&", " &"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (cxx_starts(at, words[i]) && !cxx_is_word(at[strlen(words[i])])) {
			at += strlen(words[i]);
			i = (size_t)-1;
		}
	return at;
}

/* Are these the parameters of a function that something is local to, as in "f(int)
 * const::{lambda()#1}"? */
static bool is_scope(const char *parameters)
{
	const char *closing = cxx_name_closing(parameters);

	return *closing && cxx_starts(cxx_name_skip_qualifiers(closing + 1), "::");
}

struct cxx_name cxx_name_parts(const char *name)
{
	struct cxx_name parts = {name, name, name + strlen(name)};

	for (const char *at = name; *at;) {
		if (cxx_name_is_operator(name, at)) {
			at = cxx_name_skip_operator(at);
		} else if (cxx_starts(at, " [")) {
			parts.parameters = at;
			break;
		} else if (*at == ' ') {
			parts.name = parts.last = ++at;
		} else if (cxx_starts(at, "::")) {
			at += 2;
			parts.last = at;
		} else if (*at == '(' && at > name && at[-1] != ' ' && !is_scope(at)) {
			parts.parameters = at;
			break;
		} else if (strchr("(<[{", *at)) {
			at = cxx_name_closing(at);
			at += *at != '\0';
		} else {
			at++;
		}
	}
	return parts;
}

size_t cxx_name_stem(const char *linkage_name)
{
	static const char *const suffixes[] = {".constprop", ".isra",	  ".part",
					       ".cold",	     ".lto_priv", ".localalias",
					       ".llvm.",     ".__uniq."};
	size_t size = strlen(linkage_name);

	for (const char *at = strchr(linkage_name, '.'); at; at = strchr(at + 1, '.'))
		for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
			if (at > linkage_name && cxx_starts(at, suffixes[i]))
				return (size_t)(at - linkage_name);
	return size;
}

static char opener_of(char closer)
{
	return closer == ')' ? '(' : closer == ']' ? '[' : closer == '}' ? '{' : '<';
}

/* The bracket that this one closes, ignoring those left open by "(a < b)" and "(a > b)".
 * *depth: how many stay open. */
static uint32_t find_open(const char *name, const uint32_t *open, size_t *depth,
			  char closer)
{
	char opener = opener_of(closer);
	size_t at = *depth;

	while (closer != '>' && at && name[open[at - 1]] == '<')
		at--;
	if (!at || name[open[at - 1]] != opener)
		return UINT32_MAX;
	*depth = at - 1;
	return open[at - 1];
}

uint32_t *cxx_brackets(const char *name)
{
	size_t size = strlen(name), depth = 0;
	uint32_t *partner = xcalloc(size + 1, sizeof(*partner));
	auto_free uint32_t *open = xcalloc(size + 1, sizeof(*open));

	for (size_t i = 0; i <= size; i++)
		partner[i] = (uint32_t)i;
	for (size_t i = 0; i < size; i++) {
		if (cxx_name_is_operator(name, name + i)) {
			i = (size_t)(cxx_name_skip_operator(name + i) - name) - 1;
		} else if (strchr("(<[{", name[i])) {
			open[depth++] = (uint32_t)i;
		} else if (strchr(")]}>", name[i]) &&
			   !(name[i] == '>' && i && name[i - 1] == '-')) {
			uint32_t from = find_open(name, open, &depth, name[i]);

			if (from == UINT32_MAX)
				continue;
			partner[from] = (uint32_t)i;
			partner[i] = from;
		}
	}
	return partner;
}
