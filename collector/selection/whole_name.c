/* SPDX-License-Identifier: MIT */
/* The forms of a name that a rule may match. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/selection/selection.h"
#include "common/base/xalloc.h"
#include "common/names/cxx_canonical.h"
#include "common/names/cxx_name.h"
#include "common/names/name_set.h"
#include "common/names/short_name.h"

/* Finds a rule's word. Must not trust the rule, which may be any text. In doubt there is
 * no word. */

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

/* Does the linkage name contain it? */
static bool name_word_is_in(const struct name_word *word, const char *linkage_name,
			    size_t size)
{
	return memmem(linkage_name, size, word->text, word->size) != NULL;
}

struct printed_rule {
	char *text;
	struct short_name *shortened; /* NULL: not shortened */
};

/* Drops the "[2]" of "helper [2]", which only numbers one of several; the rule means
 * all. */
static void drop_number(char *text)
{
	char *mark = strrchr(text, '[');

	if (mark && mark > text && mark[-1] == ' ' &&
	    strcmp(mark + 1 + strspn(mark + 1, "0123456789"), "]") == 0)
		mark[-1] = '\0';
}

/* Drops the variant of "A::~A [base]", which older recordings show; the rule means
 * all. */
static void drop_variant(char *text)
{
	static const char *const variants[] = {" [base]", " [deleting]"};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		size_t size = strlen(variants[i]), length = strlen(text);

		if (length > size && strcmp(text + length - size, variants[i]) == 0)
			text[length - size] = '\0';
	}
}

static struct printed_rule *read_printed(const struct selection_rule *rule)
{
	struct printed_rule *printed = NULL;
	char *text;

	if (rule->kind != SELECTION_WHOLE_NAME)
		return NULL;
	text = xstrndup(rule->text, rule->length);
	if (strstr(text, " [") || short_name_has_mark(text)) {
		drop_number(text);
		drop_variant(text);
		printed = xcalloc(1, sizeof(*printed));
		*printed = (struct printed_rule){text, short_name_new(text)};
	} else {
		free(text);
	}
	return printed;
}

void whole_name_begin(struct whole_name *ret, const struct selection *selection)
{
	*ret = (struct whole_name){.all = *selection, .of_parameters = *selection};
	for (uint32_t i = 0; i < selection->count; i++) {
		struct selection_rule *rule = &ret->of_parameters.rules[i];

		if (!memchr(rule->text, '(', rule->length))
			rule->kind = SELECTION_KINDS;
		ret->words[i] = name_word_find(rule->text, rule->length);
		ret->printed[i] = read_printed(&selection->rules[i]);
		ret->has_printed |= ret->printed[i] != NULL;
		ret->has_suffixes |=
			ret->printed[i] && strstr(ret->printed[i]->text, " [");
	}
}

void whole_name_done(struct whole_name *names)
{
	for (uint32_t i = 0; i < names->all.count; i++) {
		if (!names->printed[i])
			continue;
		short_name_free(names->printed[i]->shortened);
		free(names->printed[i]->text);
		free(names->printed[i]);
	}
	strbuf_free(&names->text);
}

/* Does the linkage name spell C++ names? Those of Rust, Fortran and D do not. */
static bool is_written_out(const char *linkage_name)
{
	return linkage_name[0] != '_' || linkage_name[1] == 'Z';
}

bool whole_name_may_fit(const struct whole_name *names, const char *linkage_name,
			size_t size)
{
	if (!is_written_out(linkage_name))
		return true;
	for (uint32_t i = 0; i < names->all.count; i++)
		if (names->all.rules[i].kind == SELECTION_WHOLE_NAME &&
		    name_word_is_in(&names->words[i], linkage_name, size))
			return true;
	return false;
}

static bool has_mark(const struct whole_name *names, const char *mark)
{
	for (uint32_t i = 0; i < names->all.count; i++)
		if (names->printed[i] && strstr(names->printed[i]->text, mark))
			return true;
	return false;
}

bool whole_name_has_files(const struct whole_name *names)
{
	return names->has_suffixes;
}

bool whole_name_has_file(const struct whole_name *names, const char *file)
{
	ended_by(strbuf_free) struct strbuf mark = {0};

	strbuf_printf(&mark, " [%s]", basename(file));
	return has_mark(names, strbuf_text(&mark));
}

static uint64_t fit(struct whole_name *names, const struct selection *rules,
		    const char *text, const char *end)
{
	strbuf_reset(&names->text);
	strbuf_add(&names->text, text, (size_t)(end - text));
	return selection_fit(rules, SELECTION_WHOLE_NAME, strbuf_text(&names->text));
}

/* Where the function's own template arguments begin; at the parameters if it has none. */
static const char *find_arguments(const struct cxx_name *parts)
{
	const char *at = parts->last;

	while (at < parts->parameters && *at != '<') {
		if (cxx_name_is_operator(parts->name, at))
			at = cxx_name_skip_operator(at);
		else
			at++;
	}
	return at < parts->parameters ? at : parts->parameters;
}

/* Rules match names as reports print them, too: "std::string::append". */
static uint64_t fit_canonical(struct whole_name *names, const char *name)
{
	ended_by(strbuf_free) struct strbuf canonical = {0};
	const char *text, *mark;
	uint64_t fitting;

	cxx_canonical(&canonical, name, CXX_NAME);
	text = strbuf_text(&canonical);
	mark = strstr(text, " [");
	fitting = fit(names, &names->all, text, mark ? mark : text + strlen(text));
	strbuf_reset(&canonical);
	cxx_canonical(&canonical, name, CXX_PARAMETERS);
	text = strbuf_text(&canonical);
	fitting |= fit(names, &names->of_parameters, text, text + strlen(text));
	return fitting;
}

static uint64_t fit_form(const struct whole_name *names, const char *form)
{
	size_t size = strlen(form);
	auto_free uint8_t *depths =
		NULL; /* computed once for all rules, and for few names */
	uint64_t fitting = 0;

	for (uint32_t i = 0; i < names->all.count; i++) {
		const struct printed_rule *printed = names->printed[i];

		if (!printed)
			continue;
		if (strcmp(printed->text, form) == 0)
			fitting |= 1ull << i;
		if (!printed->shortened ||
		    !short_name_may_fit(printed->shortened, form, size))
			continue;
		if (!depths)
			depths = short_name_depths(form);
		if (short_name_fits(printed->shortened, form, depths))
			fitting |= 1ull << i;
	}
	return fitting;
}

/* Tries all forms by which a run's functions are told apart. */
static uint64_t fit_printed(struct whole_name *names,
			    const struct whole_function *function)
{
	const struct named named = {
		.full = function->name,
		.file = function->file,
		.module = function->module,
	};
	uint64_t fitting = 0;

	for (unsigned form = 0; form < NAME_SET_FORMS && names->has_printed; form++) {
		/* each form takes time while a program waits */
		if (form >= NAME_SET_FILE && !names->has_suffixes)
			continue;
		strbuf_reset(&names->text);
		name_set_put_form(&names->text, &named, form);
		fitting |= fit_form(names, strbuf_text(&names->text));
	}
	return fitting;
}

uint64_t whole_name_fit(struct whole_name *names, const struct whole_function *function)
{
	const char *name = function->name;
	struct cxx_name parts = cxx_name_parts(name);
	const char *end = parts.name + strlen(parts.name);
	const char *mark = strstr(parts.parameters, " [");
	const char *arguments = find_arguments(&parts);

	return fit(names, &names->of_parameters, parts.name, mark ? mark : end) |
	       fit(names, &names->all, parts.name, parts.parameters) |
	       fit(names, &names->all, parts.name, arguments) |
	       fit_canonical(names, name) | fit_printed(names, function);
}
