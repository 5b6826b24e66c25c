/* SPDX-License-Identifier: MIT */
/* Finds a rule's word. Must not trust the rule, which may be any text. In doubt there is
 * no word. */
#include "collector/selection/selection.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define SIGN "\xe2\x80\xa6"

/* Words that linkage names abbreviate, and words of the demangler. */
static const char *const short_there[] = {
	"std",
	"string",
	"wstring",
	"allocator",
	"basic_string",
	"istream",
	"ostream",
	"iostream",
	"basic_istream",
	"basic_ostream",
	"basic_iostream",
	"operator",
	"const",
	"volatile",
	"unsigned",
	"signed",
	"char8_t",
	"char16_t",
	"char32_t",
	"wchar_t",
	"short",
	"long",
	"int",
	"__int128",
	"float",
	"double",
	"__float128",
	"bool",
	"void",
	"auto",
	"decltype",
	"nullptr_t",
	"(anonymous namespace)",
	"{lambda",
	"{unnamed type",
	"{default arg",
	"[abi:cxx11]",
	"[deleting]",
	"[base]",
	"[clone",
	"non-virtual thunk to",
	"covariant return thunk to",
	"TLS init function for",
	"TLS wrapper function for",
	"transaction clone for",
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool is_at(const char *text, const char *end, const char *start)
{
	size_t size = strlen(start);

	return (size_t)(end - text) >= size && memcmp(text, start, size) == 0;
}

static bool is_cut(const char *text, const char *end)
{
	return is_at(text, end, "..") || is_at(text, end, SIGN);
}

/* is_piece: the word was cut off, so it may be a part of any of those. */
static bool is_short_there(const char *word, size_t size, bool is_piece)
{
	for (size_t i = 0; i < sizeof(short_there) / sizeof(short_there[0]); i++) {
		const char *text = short_there[i];

		if (is_piece ? memmem(text, strlen(text), word, size) != NULL
			     : strlen(text) == size && memcmp(text, word, size) == 0)
			return true;
	}
	return false;
}

static bool is_piece(const char *text, const char *word, const char *behind,
		     const char *end)
{
	return is_cut(behind, end) || (word - text >= 2 && is_cut(word - 2, end)) ||
	       (word - text >= 3 && is_cut(word - 3, end));
}

/* Does what follows the word make it a part of a qualified name? */
static bool ends_part(const char *behind, const char *end)
{
	return behind == end || *behind == '<' || *behind == '(' ||
	       is_at(behind, end, "::") || is_at(behind, end, " [") ||
	       is_cut(behind, end);
}

/* Finds the last word outside of brackets and before wildcards and operators. */
static size_t find_outside(const char *text, const char *end, const char **ret)
{
	size_t depth = 0, size = 0;

	for (const char *at = text; at < end && !strchr("*?@", *at);) {
		const char *word = at;

		while (at < end && is_word(*at))
			at++;
		if (at > word) {
			size_t length = (size_t)(at - word);

			if (!depth && length == 8 && memcmp(word, "operator", 8) == 0)
				break;
			if (depth || !ends_part(at, end) ||
			    is_short_there(word, length, is_piece(text, word, at, end)))
				continue;
			*ret = word;
			size = length;
			continue;
		}
		if (!depth && is_at(at, end, " ["))
			break;
		if (strchr("<({[", *at))
			depth++;
		else if (strchr(">)}]", *at) && depth)
			depth--;
		else if (strchr(">)}]", *at))
			size = 0; /* the text before was inside the bracket */
		at++;
	}
	return size;
}

/* Finds the word that ends the name, whatever precedes it: "*::turn". */
static size_t find_last(const char *text, const char *end, const char **ret)
{
	const char *word = end;

	while (word > text && is_word(word[-1]))
		word--;
	if (word == end || word - text < 2 || memcmp(word - 2, "::", 2) != 0 ||
	    memchr(text, '@', (size_t)(end - text)) ||
	    is_short_there(word, (size_t)(end - word), false))
		return 0;
	*ret = word;
	return (size_t)(end - word);
}

struct name_word name_word_find(const char *rule, size_t size)
{
	struct name_word ret = {.text = rule};
	const char *end = rule + size;

	ret.size = find_last(rule, end, &ret.text);
	if (!ret.size)
		ret.size = find_outside(rule, end, &ret.text);
	return ret;
}

bool name_word_is_in(const struct name_word *word, const char *linkage_name, size_t size)
{
	return memmem(linkage_name, size, word->text, word->size) != NULL;
}
