/* SPDX-License-Identifier: MIT */
/*
 * Shortened texts compared with names, all places where a mark may end followed at once.
 * Must not go back in the name: texts are pasted by people, names come from files.
 */
#include "common/names/short_name.h"

#include "common/names/cxx_name.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define DOTS ".."
#define SIGN "\xe2\x80\xa6"
#define LONGEST 4096
#define MOST_MARKS 64

struct element {
	char byte;
	bool is_mark;
	uint8_t depth;
};

struct short_name {
	struct element *elements;
	char *bytes;			/* of the elements */
	size_t count, fixed, fixed_end; /* without a mark: at the start, at the end */
	char *prefix, *letters; /* of a name that only its letters tell; else NULL */
	/* places that are followed, and those of the next byte */
	uint32_t *now, *next, *stamps, stamp;
};

static size_t mark_size(const char *at)
{
	return strncmp(at, DOTS, strlen(DOTS)) == 0   ? strlen(DOTS)
	       : strncmp(at, SIGN, strlen(SIGN)) == 0 ? strlen(SIGN)
						      : 0;
}

bool short_name_has_mark(const char *text)
{
	return strstr(text, DOTS) || strstr(text, SIGN);
}

uint8_t *short_name_depths(const char *name)
{
	size_t size = strlen(name), depth = 0;
	auto_free uint32_t *partners = cxx_brackets(name);
	uint8_t *depths = xcalloc(size + 1, 1);

	for (size_t i = 0; i < size; i++) {
		bool is_bracket = partners[i] != i && strchr("()<>", name[i]);

		if (is_bracket && partners[i] < i && depth)
			depth--;
		depths[i] = depth < UINT8_MAX ? (uint8_t)depth : UINT8_MAX;
		if (is_bracket && partners[i] > i)
			depth++;
	}
	return depths;
}

void short_name_letters(const char *name, char ret[SHORT_NAME_LETTERS + 1])
{
	uint64_t hash = 14695981039346656037u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 1099511628211u;
	hash ^= hash >> 29; /* the high bits are better mixed */
	for (size_t i = 0; i < SHORT_NAME_LETTERS; i++, hash >>= 5)
		ret[i] = "abcdefghijklmnopqrstuvwxyz234567"[hash & 31];
	ret[SHORT_NAME_LETTERS] = '\0';
}

/* "f<a..@k3f9x": what stands before the mark is the name's start, whatever is in it. */
static bool read_letters(struct short_name *ret, const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	size_t size = strlen(text), mark = 0;
	const char *at;

	if (size < SHORT_NAME_LETTERS + 1)
		return false;
	at = text + size - SHORT_NAME_LETTERS - 1;
	if (*at != '@' || strspn(at + 1, letters) != SHORT_NAME_LETTERS)
		return false;
	for (size_t i = strlen(DOTS); i <= strlen(SIGN) && !mark; i++)
		if ((size_t)(at - text) >= i && mark_size(at - i) == i)
			mark = i;
	if (!mark)
		return false;
	ret->prefix = xstrndup(text, (size_t)(at - text) - mark);
	ret->letters = xstrdup(at + 1);
	ret->fixed = strlen(ret->prefix);
	return true;
}

static void read_elements(struct short_name *ret, const char *text)
{
	uint8_t *depths = short_name_depths(text);
	bool has_mark = false;

	ret->elements = xcalloc(strlen(text) + 1, sizeof(*ret->elements));
	for (const char *at = text; *at;) {
		size_t mark = mark_size(at);

		ret->elements[ret->count++] =
			(struct element){*at, mark > 0, depths[at - text]};
		if (mark) {
			has_mark = true;
			ret->fixed_end = 0;
		} else {
			ret->fixed += !has_mark;
			ret->fixed_end++;
		}
		at += mark ? mark : 1;
	}
	free(depths);
	ret->bytes = xcalloc(ret->count + 1, 1);
	for (size_t i = 0; i < ret->count; i++)
		ret->bytes[i] = ret->elements[i].byte;
	ret->now = xcalloc(ret->count + 1, sizeof(*ret->now));
	ret->next = xcalloc(ret->count + 1, sizeof(*ret->next));
	ret->stamps = xcalloc(ret->count + 1, sizeof(*ret->stamps));
}

struct short_name *short_name_new(const char *text)
{
	struct short_name *ret;
	size_t marks = 0;

	if (!short_name_has_mark(text) || strlen(text) > LONGEST)
		return NULL;
	ret = xcalloc(1, sizeof(*ret));
	if (read_letters(ret, text))
		return ret;
	for (const char *at = text; *at; at++)
		marks += mark_size(at) > 0;
	if (marks <= MOST_MARKS) {
		read_elements(ret, text);
		return ret;
	}
	free(ret);
	return NULL;
}

void short_name_free(struct short_name *text)
{
	if (!text)
		return;
	free(text->elements);
	free(text->bytes);
	free(text->prefix);
	free(text->letters);
	free(text->now);
	free(text->next);
	free(text->stamps);
	free(text);
}

size_t short_name_fixed_size(const struct short_name *text)
{
	return text->fixed;
}

static bool fits_letters(const struct short_name *text, const char *name)
{
	char letters[SHORT_NAME_LETTERS + 1];

	if (strncmp(name, text->prefix, strlen(text->prefix)) != 0)
		return false;
	short_name_letters(name, letters);
	return strcmp(letters, text->letters) == 0;
}

/* What stands before the first mark and behind the last. */
bool short_name_may_fit(const struct short_name *text, const char *name, size_t size)
{
	if (text->letters)
		return strncmp(name, text->prefix, text->fixed) == 0;
	if (size < text->fixed + text->fixed_end + 1)
		return false;
	for (size_t i = 0; i < text->fixed; i++)
		if (text->elements[i].byte != name[i])
			return false;
	for (size_t i = 1; i <= text->fixed_end; i++)
		if (text->elements[text->count - i].byte != name[size - i])
			return false;
	return true;
}

static void follow(struct short_name *text, size_t *count, uint32_t place)
{
	if (text->stamps[place] == text->stamp)
		return;
	text->stamps[place] = text->stamp;
	text->next[(*count)++] = place;
}

/* One byte more of the name; returns how many places are left. */
static size_t step(struct short_name *text, size_t count, char byte, uint8_t depth)
{
	size_t left = 0;
	uint32_t *swap;

	if (++text->stamp == 0) {
		memset(text->stamps, 0, (text->count + 1) * sizeof(*text->stamps));
		text->stamp = 1;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t place = text->now[i];
		const struct element *element = &text->elements[place];

		if (place == text->count)
			continue;
		if (element->is_mark && depth >= element->depth) {
			follow(text, &left, place);
			follow(text, &left, place + 1);
		} else if (!element->is_mark && byte == element->byte &&
			   depth == element->depth) {
			follow(text, &left, place + 1);
		}
	}
	swap = text->now;
	text->now = text->next;
	text->next = swap;
	return left;
}

/* Do bytes of the name stand in as many brackets as the text's, or, of a mark, in no
 * fewer? */
static bool are_so_deep(const struct short_name *text, size_t place, bool is_mark,
			const uint8_t *depths, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (is_mark ? depths[i] < text->elements[place].depth
			    : depths[i] != text->elements[place + i].depth)
			return false;
	return true;
}

enum guess { FITS_NOT, FITS, FITS_PERHAPS };

/* What stands between marks, each where the name has it first. Where it is not there, the
 * text does not fit; and it does where brackets do not stand against these places. */
static enum guess guess(const struct short_name *text, const char *name, size_t size,
			const uint8_t *depths)
{
	size_t at = text->fixed, place = text->fixed,
	       tail = text->count - text->fixed_end;
	size_t end = size - text->fixed_end;
	bool is_sure = are_so_deep(text, 0, false, depths, at);

	while (place < tail) {
		size_t mark = place++, from = place;
		const char *found = name + end;

		while (place < tail && !text->elements[place].is_mark)
			place++;
		if (at >= end)
			return FITS_NOT;
		if (place > from)
			found = memmem(name + at + 1, end - at - 1, text->bytes + from,
				       place - from);
		else if (place < tail)
			found = name + at + 1;
		if (!found)
			return FITS_NOT;
		is_sure = is_sure &&
			  are_so_deep(text, mark, true, depths + at,
				      (size_t)(found - name) - at) &&
			  are_so_deep(text, from, false, depths + (found - name),
				      place - from);
		at = (size_t)(found - name) + place - from;
	}
	is_sure = is_sure && at == end &&
		  are_so_deep(text, tail, false, depths + end, text->fixed_end);
	return is_sure ? FITS : FITS_PERHAPS;
}

static bool fits_somehow(struct short_name *text, const char *name, size_t size,
			 const uint8_t *depths)
{
	size_t count = 1;
	bool fits = false;

	text->now[0] = 0;
	for (size_t i = 0; i < size && count; i++)
		count = step(text, count, name[i], depths[i]);
	for (size_t i = 0; i < count; i++)
		fits |= text->now[i] == text->count;
	return fits;
}

bool short_name_fits(struct short_name *text, const char *name, const uint8_t *depths)
{
	size_t size = strlen(name);
	auto_free uint8_t *own = NULL;
	enum guess answer;

	if (text->letters)
		return fits_letters(text, name);
	if (!short_name_may_fit(text, name, size))
		return false;
	if (!depths)
		depths = own = short_name_depths(name);
	answer = guess(text, name, size, depths);
	if (answer == FITS_PERHAPS)
		answer = fits_somehow(text, name, size, depths) ? FITS : FITS_NOT;
	return answer == FITS;
}
