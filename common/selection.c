/* SPDX-License-Identifier: MIT */
/* Reads and applies the rules. */
#include "common/selection.h"

#include <stddef.h>

static const struct {
	const char *text;
	uint32_t length;
} prefixes[] = {
	[SELECTION_NAMESPACE] = {"namespace:", 10},
	[SELECTION_MODULE] = {"module:", 7},
	[SELECTION_FILE] = {"file:", 5},
};

static int begins(const char *text, uint32_t length, const char *prefix,
		  uint32_t prefix_length)
{
	if (length < prefix_length)
		return 0;
	for (uint32_t i = 0; i < prefix_length; i++) {
		if (text[i] != prefix[i])
			return 0;
	}
	return 1;
}

/* Is there a colon outside of "::", as after an unknown kind? */
static int has_odd_colon(const char *text, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		if (text[i] != ':')
			continue;
		if (i + 1 == length || text[i + 1] != ':')
			return 1;
		i++;
	}
	return 0;
}

static int is_word(char character)
{
	return (character >= 'a' && character <= 'z') ||
	       (character >= 'A' && character <= 'Z') ||
	       (character >= '0' && character <= '9') || character == '_';
}

/* Does the rule need more of a C++ name than the linkage name spells out? Yes for printed
 * names, which have something left out or an addition in brackets, and for libraries
 * whose namespaces and templates have other names for the linker. */
static int is_whole_name(const char *text, uint32_t length)
{
	static const struct {
		const char *text;
		uint32_t length;
	} libraries[] = {{"std::", 5}, {"nlohmann::", 10}, {"fmt::", 5}, {"absl::", 6}};

	for (uint32_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		if (begins(text, length, libraries[i].text, libraries[i].length))
			return 1;
	}
	for (uint32_t i = 0; i < length; i++) {
		if (text[i] == '(' || text[i] == '>' || text[i] == '{' ||
		    begins(text + i, length - i, " [", 2) ||
		    begins(text + i, length - i, "..", 2) ||
		    begins(text + i, length - i, "\xe2\x80\xa6", 3) ||
		    (text[i] == '<' && !(i + 2 == length && text[i + 1] == '*')))
			return 1;
		if (begins(text + i, length - i, "operator", 8) &&
		    (!i || !is_word(text[i - 1])) &&
		    (i + 8 == length || !is_word(text[i + 8])))
			return 1;
	}
	return 0;
}

static const char *read_word(struct selection_rule *rule, const char *text,
			     uint32_t length)
{
	*rule = (struct selection_rule){SELECTION_FUNCTION, text, length};
	for (uint32_t kind = SELECTION_NAMESPACE; kind <= SELECTION_FILE; kind++) {
		uint32_t skipped = prefixes[kind].length;

		if (!begins(text, length, prefixes[kind].text, skipped) ||
		    (length > skipped && text[skipped] == ':'))
			continue;
		*rule = (struct selection_rule){(enum selection_kind)kind, text + skipped,
						length - skipped};
	}
	if (!rule->length)
		return "a rule is empty";
	if (rule->kind != SELECTION_FUNCTION && rule->kind != SELECTION_NAMESPACE)
		return NULL;
	if (has_odd_colon(rule->text, rule->length))
		return "rules are functions, or begin with namespace:, module: or file:";
	if (rule->kind == SELECTION_FUNCTION && is_whole_name(rule->text, rule->length))
		rule->kind = SELECTION_WHOLE_NAME;
	return NULL;
}

static int is_opener(char character)
{
	return character == '(' || character == '<' || character == '[' ||
	       character == '{';
}

static int is_closer(char character)
{
	return character == ')' || character == '>' || character == ']' ||
	       character == '}';
}

/* The length of an operator's name at a place: its signs are no brackets and no comma. */
static uint32_t operator_size(const char *text, uint32_t at)
{
	uint32_t size = 8;

	if ((at && is_word(text[at - 1])) || !begins(text + at, 8, "operator", 8) ||
	    is_word(text[at + 8]))
		return 0;
	if (begins(text + at + size, 2, "()", 2) || begins(text + at + size, 2, "[]", 2))
		return size + 2;
	if (text[at + size] == ',')
		return size + 1;
	while (text[at + size] == '<' || text[at + size] == '>' ||
	       text[at + size] == '-' || text[at + size] == '=')
		size++;
	return size;
}

/* The length of a bracket with its contents; 0: no bracket, or one that stays open, as in
 * "twice<*". */
static uint32_t enclosed_size(const char *text, uint32_t at)
{
	uint32_t depth = 0, size = 0;

	while (text[at + size] && size < SEGMENT_RULES_MAX) {
		uint32_t skipped = operator_size(text, at + size);

		if (skipped) {
			size += skipped;
			continue;
		}
		if (is_opener(text[at + size]))
			depth++;
		else if (is_closer(text[at + size]) && depth &&
			 !(text[at + size] == '>' && text[at + size - 1] == '-'))
			depth--;
		size++;
		if (!depth)
			return size > 1 ? size : 0;
	}
	return 0;
}

/* The length of a word, up to the comma that ends it. Commas in arguments and parameters
 * belong to the name. */
static uint32_t word_size(const char *text)
{
	uint32_t size = 0;

	while (text[size] && text[size] != ',') {
		uint32_t skipped = operator_size(text, size);

		if (!skipped)
			skipped = enclosed_size(text, size);
		size += skipped ? skipped : 1;
		if (size > SEGMENT_RULES_MAX)
			break;
	}
	return size;
}

static const char *read_list(struct selection *selection, const char *text)
{
	uint32_t at = 0;

	if (!text || !*text)
		return NULL;
	for (;;) {
		uint32_t length = word_size(text + at);
		const char *wrong;

		if (selection->count == SELECTION_RULE_LIMIT)
			return "there are more than 64 rules";
		wrong = read_word(&selection->rules[selection->count], text + at, length);
		if (wrong)
			return wrong;
		selection->count++;
		at += length;
		if (at >= SEGMENT_RULES_MAX)
			return "it is longer than 1,023 characters";
		if (!text[at])
			return NULL;
		at++;
	}
}

const char *selection_read(struct selection *ret, const char *only, const char *skip)
{
	const char *wrong;

	ret->count = ret->only_count = 0;
	wrong = read_list(ret, only);
	ret->only_count = ret->count;
	if (!wrong)
		wrong = read_list(ret, skip);
	if (wrong)
		ret->count = ret->only_count = 0;
	return wrong;
}

/* Does the pattern fit the text [text, end) or, for a directory, its beginning? A star
 * that failed takes one character more. Only the last star has to be retried, so the time
 * is at most the product of both lengths. */
static int fits(const struct selection_rule *rule, const char *text, const char *end)
{
	const char *pattern = rule->text, *retry = NULL;
	uint32_t at = 0, after_star = 0;
	int is_directory =
		rule->kind == SELECTION_FILE && pattern[rule->length - 1] == '/';

	for (;;) {
		if (at < rule->length && pattern[at] == '*') {
			after_star = ++at;
			retry = text;
		} else if (at == rule->length && (text == end || is_directory)) {
			return 1;
		} else if (at < rule->length && text < end &&
			   (pattern[at] == '?' || pattern[at] == *text)) {
			at++;
			text++;
		} else if (retry && retry < end) {
			at = after_star;
			text = ++retry;
		} else {
			return 0;
		}
	}
}

static const char *end_of(const char *text)
{
	while (*text)
		text++;
	return text;
}

/* Does the pattern fit the namespace or one around it? */
static int fits_namespace(const struct selection_rule *rule, const char *name)
{
	for (const char *at = name; *at && *at != '<' && *at != '('; at++) {
		if (at[0] == ':' && at[1] == ':' && fits(rule, name, at))
			return 1;
	}
	return 0;
}

/* Does the pattern fit the file's name or, with a slash in it, the end of its path? */
static int fits_path(const struct selection_rule *rule, const char *path)
{
	const char *end = end_of(path), *base = path;
	int has_slash = 0;

	for (uint32_t i = 0; i < rule->length; i++)
		has_slash |= rule->text[i] == '/';
	if (has_slash && fits(rule, path, end))
		return 1;
	for (; *path; path++) {
		if (*path != '/')
			continue;
		base = path + 1;
		if (has_slash && (fits(rule, path, end) || fits(rule, base, end)))
			return 1;
	}
	return !has_slash && fits(rule, base, end);
}

static int fits_rule(const struct selection_rule *rule, const char *name)
{
	switch (rule->kind) {
	case SELECTION_NAMESPACE:
		return fits_namespace(rule, name);
	case SELECTION_MODULE:
	case SELECTION_FILE:
		return fits_path(rule, name);
	default:
		return fits(rule, name, end_of(name));
	}
}

uint64_t selection_fit(const struct selection *selection, enum selection_kind kind,
		       const char *name)
{
	uint64_t rules = 0;

	for (uint32_t i = 0; i < selection->count; i++) {
		if (selection->rules[i].kind == kind &&
		    fits_rule(&selection->rules[i], name))
			rules |= 1ull << i;
	}
	return rules;
}

uint64_t selection_of_kind(const struct selection *selection, enum selection_kind kind)
{
	uint64_t rules = 0;

	for (uint32_t i = 0; i < selection->count; i++) {
		if (selection->rules[i].kind == kind)
			rules |= 1ull << i;
	}
	return rules;
}
