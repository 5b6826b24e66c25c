/* SPDX-License-Identifier: MIT */
/*
 * Shortens a name step by step. If a step would make it look like another name, it shows
 * what differs or tries the next step. Must not leave out more than room requires.
 */
#include "analyzer/names/name_forms.h"

#include "analyzer/names/name_tokens.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define DEEPEST_ARGUMENTS 4
#define MOST_RIVALS 256
#define MOST_REVEALED 24
/* Longer names are kept apart by letters: nobody reads them. */
#define LONGEST 8192

/* hidden: tokens before this one are left out. needed: tokens that always stay. shown:
 * those of the current form. */
struct form {
	struct name_rivals *rivals;
	struct strbuf *buffer;
	const char *name, *mark, **others;
	size_t width;
	struct name_tokens tokens;
	size_t hidden;
	bool *needed, *shown;
};

static bool put(struct form *form)
{
	return name_tokens_put(&form->tokens, form->shown, form->mark, form->width,
			       form->buffer);
}

/* Counts other names that the text in the buffer fits. */
static size_t find_others(struct form *form)
{
	size_t count;

	if (!form->rivals)
		return 0;
	count = name_rivals_find(form->rivals, strbuf_text(form->buffer), form->name,
				 form->others, MOST_RIVALS);
	return count < MOST_RIVALS ? count : MOST_RIVALS;
}

/* Whether the text fits its own name: a mark may stand beside something that looks like
 * one. */
static bool fits_itself(const struct form *form)
{
	struct short_name *text = short_name_new(strbuf_text(form->buffer));
	bool fits = !text || short_name_fits(text, form->name, NULL);

	short_name_free(text);
	return fits;
}

/* Whether the text fits no other name; one other is enough to know. */
static bool is_told(struct form *form)
{
	return fits_itself(form) &&
	       !(form->rivals && name_rivals_find(form->rivals, strbuf_text(form->buffer),
						  form->name, form->others, 0));
}

/* Shows everything but arguments and parameters, and template arguments to a depth. */
static void show_to_depth(struct form *form, size_t depth)
{
	for (size_t i = form->hidden; i < form->tokens.count; i++) {
		const struct name_token *token = &form->tokens.list[i];

		if (!token->in_parentheses && token->depth <= depth)
			form->shown[i] = true;
	}
}

static void show_needed(struct form *form)
{
	memcpy(form->shown, form->needed, form->tokens.count * sizeof(*form->shown));
}

static bool by_depth(struct form *form)
{
	for (size_t depth = DEEPEST_ARGUMENTS + 1; depth-- > 0;) {
		show_needed(form);
		show_to_depth(form, depth);
		if (put(form))
			return is_told(form);
	}
	return false;
}

static size_t common_start(const char *a, const char *b)
{
	size_t size = 0;

	while (a[size] && a[size] == b[size])
		size++;
	return size;
}

static size_t common_end(const char *a, const char *b)
{
	size_t of_a = strlen(a), of_b = strlen(b), size = 0;

	while (size < of_a && size < of_b && a[of_a - 1 - size] == b[of_b - 1 - size])
		size++;
	return size;
}

/* The first hidden token in which the names differ: from the start, from the end, or
 * after that. */
static size_t find_difference(const struct form *form, const char *other)
{
	size_t size = strlen(form->name), start = common_start(form->name, other);
	size_t end = common_end(form->name, other), token;

	token = name_tokens_at(&form->tokens, start < size ? start : size - 1);
	if (!form->shown[token])
		return token;
	if (end < size) {
		size_t last = name_tokens_at(&form->tokens, size - 1 - end);

		if (!form->shown[last])
			return last;
	}
	for (size_t i = token; i < form->tokens.count; i++)
		if (!form->shown[i])
			return i;
	for (size_t i = token; i-- > 0;)
		if (!form->shown[i])
			return i;
	return form->tokens.count;
}

/* The hidden token in which most of the others differ. */
static size_t find_telling(const struct form *form, const char **others, size_t count)
{
	auto_free uint32_t *votes = xcalloc(form->tokens.count + 1, sizeof(*votes));
	size_t best = form->tokens.count;

	for (size_t i = 0; i < count; i++) {
		size_t token = find_difference(form, others[i]);

		if (token < form->tokens.count &&
		    (++votes[token] > votes[best] || best == form->tokens.count))
			best = token;
	}
	return best;
}

/* Keeps the others that the text in the buffer still fits. */
static size_t keep_fitting(struct form *form, size_t count)
{
	struct short_name *text = short_name_new(strbuf_text(form->buffer));
	size_t kept = 0;

	for (size_t i = 0; i < count && text; i++) {
		form->rivals->spent += strlen(form->others[i]);
		if (short_name_fits(text, form->others[i], NULL))
			form->others[kept++] = form->others[i];
	}
	short_name_free(text);
	return kept;
}

/* Shows the tokens that set the name apart from form->others; base: shows what stays in
 * any case. False: there is no room, or nothing differs. */
static bool reveal(struct form *form, size_t count, void (*base)(struct form *form))
{
	for (size_t times = 0; count && times < MOST_REVEALED; times++) {
		size_t token = find_telling(form, form->others, count);

		if (token == form->tokens.count)
			return false;
		name_tokens_show(&form->tokens, form->needed, token);
		show_needed(form);
		base(form);
		if (!put(form))
			return false;
		count = keep_fitting(form, count);
		if (!count)
			count = find_others(form);
	}
	return !count;
}

static void show_skeleton(struct form *form)
{
	show_to_depth(form, 0);
}

/* Hides one more leading part, but not its "::". False: there is none. */
static bool hide_part(struct form *form)
{
	size_t at = form->hidden + 2;

	while (at < form->tokens.count && !form->tokens.list[at].starts_part)
		at++;
	if (at > form->tokens.last_part || at >= form->tokens.count)
		return false;
	form->hidden = at - 1;
	return true;
}

/* Shows more tokens outside of brackets, if there is room for all of them. */
static bool try_all(struct form *form, size_t from, size_t end)
{
	size_t size = (form->tokens.count + 1) * sizeof(*form->shown);
	bool *before = xreallocarray(NULL, size, 1), has_room;

	memcpy(before, form->shown, size);
	for (size_t i = from; i < end; i++)
		if (end == from + 1 || !form->tokens.list[i].depth)
			name_tokens_show(&form->tokens, form->shown, i);
	has_room = put(form);
	if (!has_room)
		memcpy(form->shown, before, size);
	free(before);
	return has_room;
}

static bool try(struct form *form, size_t token)
{
	return form->shown[token] || try_all(form, token, token + 1);
}

/* Shows leading parts one by one as far as there is room. */
static void fill_front(struct form *form, size_t end)
{
	for (size_t i = 0, next; i < end; i = next) {
		for (next = i + 1; next < end && !form->tokens.list[next].starts_part;)
			next++;
		if (!try_all(form, i, next))
			break;
	}
	put(form);
}

/* "f(.., int)" rather than "f(..int)". */
static void show_commas(struct form *form)
{
	for (size_t i = 1; i + 1 < form->tokens.count; i++) {
		const struct name_token *token = &form->tokens.list[i];

		if (form->name[token->from] == ',' && form->shown[i + 1])
			(void)try(form, i);
	}
}

/* Uses the remaining room for template arguments or leading parts. */
static void enrich(struct form *form)
{
	for (size_t depth = DEEPEST_ARGUMENTS + 1; depth-- > 0;) {
		show_needed(form);
		show_to_depth(form, depth);
		if (put(form) && (!depth || fits_itself(form)))
			break;
	}
	show_commas(form);
	fill_front(form, form->hidden);
}

/* Hides arguments except those that set the name apart; hides leading parts as needed. */
static bool by_difference(struct form *form)
{
	do {
		show_needed(form);
		show_to_depth(form, 0);
		if (!put(form))
			continue;
		if (reveal(form, find_others(form), show_skeleton)) {
			enrich(form);
			return is_told(form);
		}
	} while (hide_part(form));
	return false;
}

static void show_start(struct form *form)
{
	form->shown[form->tokens.last_part] = true;
}

/* Shows the last part from both ends, then the leading parts. */
static void fill(struct form *form)
{
	size_t head = form->tokens.last_part, tail = form->tokens.count;
	bool has_head = true, has_tail = true;

	while (head < tail && (has_head || has_tail)) {
		if (has_tail) {
			has_tail =
				form->tokens.list[tail - 1].depth || try(form, tail - 1);
			tail -= has_tail;
		}
		if (has_head && head < tail) {
			has_head = form->tokens.list[head].depth || try(form, head);
			head += has_head;
		}
	}
	fill_front(form, form->tokens.last_part);
}

/* Hides the middle of identifiers, too. */
static bool by_pieces(struct form *form)
{
	show_start(form);
	fill(form);
	if (put(form) && is_told(form))
		return true;
	show_needed(form);
	show_start(form);
	if (!put(form) || !reveal(form, find_others(form), show_start))
		return false;
	fill(form);
	return put(form) && is_told(form);
}

/* Makes "a::f<b..@k3f9x". */
static void by_letters(struct form *form)
{
	char letters[SHORT_NAME_LETTERS + 1];
	size_t more = utf8_width(form->mark) + 1 + SHORT_NAME_LETTERS;

	strbuf_reset(form->buffer);
	if (!form->rivals || form->width <= more) {
		more = utf8_width(form->mark);
		strbuf_add(form->buffer, form->name,
			   utf8_prefix(form->name, form->width - more));
		strbuf_puts(form->buffer, form->mark);
		return;
	}
	short_name_letters(form->name, letters);
	strbuf_add(form->buffer, form->name, utf8_prefix(form->name, form->width - more));
	strbuf_puts(form->buffer, form->mark);
	strbuf_printf(form->buffer, "@%s", letters);
}

static bool try_step(struct form *form, enum name_tokens_size size,
		     bool (*step)(struct form *form))
{
	bool done;

	name_tokens_read(&form->tokens, form->name, size);
	form->needed = xcalloc(form->tokens.count + 1, sizeof(*form->needed));
	form->shown = xcalloc(form->tokens.count + 1, sizeof(*form->shown));
	form->hidden = 0;
	done = step(form);
	free(form->needed);
	free(form->shown);
	name_tokens_free(&form->tokens);
	return done;
}

void name_forms_shorten(struct name_rivals *rivals, struct strbuf *buffer,
			const char *name, size_t width, const char *mark)
{
	const char *others[MOST_RIVALS];
	struct form form = {.rivals = rivals,
			    .buffer = buffer,
			    .name = name,
			    .mark = mark,
			    .others = others,
			    .width = width};

	if (strlen(name) <= LONGEST && !(rivals && name_rivals_is_tired(rivals)) &&
	    (try_step(&form, NAME_TOKENS_WORDS, by_depth) ||
	     try_step(&form, NAME_TOKENS_WORDS, by_difference) ||
	     try_step(&form, NAME_TOKENS_PIECES, by_pieces)))
		return;
	by_letters(&form);
}
