/* SPDX-License-Identifier: MIT */
/* Splits names into tokens. Must not fail: a name is any text. */
#include "analyzer/names/name_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/names/cxx_name.h"

#define PIECE 10

static const char anonymous[] = "(anonymous namespace)";

static bool is_middle(char c) /* of a multi-byte character */
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The end of a piece of a word: digits, or letters up to the next "_" or capital. */
static size_t piece_size(const char *at, size_t size)
{
	size_t used = 1;

	while (used < size &&
	       (is_middle(at[used]) || (used < PIECE &&
					!isdigit((unsigned char)at[used]) ==
						!isdigit((unsigned char)at[used - 1]) &&
					at[used - 1] != '_' &&
					!(isupper((unsigned char)at[used]) &&
					  !isupper((unsigned char)at[used - 1])))))
		used++;
	return used;
}

/* The size of the token at `at`, which is no bracket. */
static size_t token_size(const char *name, const char *at, enum name_tokens_size size)
{
	size_t word = 0;

	if (cxx_starts(at, anonymous))
		return sizeof(anonymous) - 1;
	if (cxx_name_is_operator(name, at)) {
		/* conversion to a type, which is a name again */
		if (at[8] == ' ' && !cxx_starts(at, "operator new") &&
		    !cxx_starts(at, "operator delete"))
			return strlen("operator ");
		return (size_t)(cxx_name_skip_operator(at) - at);
	}
	if (cxx_starts(at, "::") || cxx_starts(at, ", "))
		return 2;
	while (cxx_is_word(at[word]))
		word++;
	if (!word)
		return 1;
	return size == NAME_TOKENS_PIECES ? piece_size(at, word) : word;
}

static void add(struct name_tokens *ret, size_t from, size_t size, uint32_t opener)
{
	struct name_token *token;
	const struct name_token *around = NULL;

	token = &ARRAY_ADD(ret->list, ret->count);
	if (opener != NAME_TOKEN_NONE)
		around = &ret->list[opener];
	*token = (struct name_token){
		.from = (uint32_t)from,
		.end = (uint32_t)(from + size),
		.opener = opener,
		.partner = NAME_TOKEN_NONE,
		.depth = around ? around->depth + 1 : 0,
		.in_parentheses = around && (around->in_parentheses ||
					     ret->name[around->from] == '('),
	};
}

/* Parts begin after "::", and end at the parameters or a mark after them. */
static void find_parts(struct name_tokens *tokens)
{
	struct cxx_name parts = cxx_name_parts(tokens->name);
	size_t last = (size_t)(parts.last - tokens->name);

	for (size_t i = 0; i < tokens->count; i++) {
		struct name_token *token = &tokens->list[i];

		token->starts_part =
			!i || (!token->depth && token[-1].end - token[-1].from == 2 &&
			       cxx_starts(tokens->name + token[-1].from, "::"));
		if (token->starts_part && token->from <= last)
			tokens->last_part = i;
	}
}

void name_tokens_read(struct name_tokens *ret, const char *name,
		      enum name_tokens_size size)
{
	uint32_t *partners = cxx_brackets(name), opener = NAME_TOKEN_NONE;

	*ret = (struct name_tokens){.name = name};
	for (size_t i = 0; name[i];) {
		bool is_bracket = partners[i] != i && strchr("()<>", name[i]) &&
				  !cxx_starts(name + i, anonymous);

		if (is_bracket && partners[i] < i && opener != NAME_TOKEN_NONE) {
			uint32_t partner = opener;

			opener = ret->list[partner].opener;
			add(ret, i, 1, opener);
			ret->list[partner].partner = (uint32_t)ret->count - 1;
			ret->list[ret->count - 1].partner = partner;
			i++;
		} else if (is_bracket) {
			add(ret, i++, 1, opener);
			opener = (uint32_t)ret->count - 1;
		} else {
			size_t bytes = token_size(name, name + i, size);

			add(ret, i, bytes, opener);
			i += bytes;
		}
	}
	free(partners);
	find_parts(ret);
}

void name_tokens_free(struct name_tokens *tokens)
{
	free(tokens->list);
	*tokens = (struct name_tokens){.name = NULL};
}

size_t name_tokens_at(const struct name_tokens *tokens, size_t byte)
{
	size_t begun = COUNT_BEFORE(tokens->count, i, tokens->list[i].from <= byte);

	return begun ? begun - 1 : 0;
}

void name_tokens_show(const struct name_tokens *tokens, bool *shown, size_t token)
{
	uint32_t at = (uint32_t)token;

	shown[at] = true;
	if (tokens->list[at].partner != NAME_TOKEN_NONE)
		shown[tokens->list[at].partner] = true;
	for (at = tokens->list[at].opener; at != NAME_TOKEN_NONE;
	     at = tokens->list[at].opener) {
		shown[at] = true;
		if (tokens->list[at].partner != NAME_TOKEN_NONE)
			shown[tokens->list[at].partner] = true;
	}
}

/* Writes a mark, or the hidden text itself if that is no wider. */
static void put_hidden(const char *from, size_t size, const char *mark,
		       struct strbuf *buffer)
{
	char text[16];

	if (size < sizeof(text)) {
		memcpy(text, from, size);
		text[size] = '\0';
		if (utf8_width(text) <= utf8_width(mark)) {
			strbuf_puts(buffer, text);
			return;
		}
	}
	strbuf_puts(buffer, mark);
}

bool name_tokens_put(const struct name_tokens *tokens, const bool *shown,
		     const char *mark, size_t width, struct strbuf *buffer)
{
	strbuf_reset(buffer);
	for (size_t i = 0; i < tokens->count;) {
		const struct name_token *token = &tokens->list[i];
		size_t end = i;

		if (buffer->size >
		    6 * width +
			    64) /* in bytes: surely too wide, so need not be measured */
			return false;
		if (shown[i]) {
			strbuf_add(buffer, tokens->name + token->from,
				   token->end - token->from);
			i++;
			continue;
		}
		while (end < tokens->count && !shown[end])
			end++;
		put_hidden(tokens->name + token->from,
			   tokens->list[end - 1].end - token->from, mark, buffer);
		i = end;
	}
	return utf8_width(strbuf_text(buffer)) <= width;
}

/* Sorted names: the start of a text says where to look. */

/* Takes some seconds, which only thousands of similar names need. */
#define TIRED_BYTES 3000000000ull

/* depths: of its brackets; computed when needed. */
struct rival {
	char *name;
	uint8_t *depths;
	size_t size;
};

void name_rivals_add(struct name_rivals *rivals, const char *name)
{
	ARRAY_ADD(rivals->list, rivals->count) =
		(struct rival){xstrdup(name), NULL, strlen(name)};
	rivals->is_sorted = false;
}

void name_rivals_free(struct name_rivals *rivals)
{
	for (size_t i = 0; i < rivals->count; i++) {
		free(rivals->list[i].name);
		free(rivals->list[i].depths);
	}
	free(rivals->list);
	*rivals = (struct name_rivals){0};
}

bool name_rivals_is_tired(const struct name_rivals *rivals)
{
	return rivals->spent > TIRED_BYTES;
}

static int by_name(const void *a, const void *b)
{
	const struct rival *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static void sort(struct name_rivals *rivals)
{
	size_t kept = 0;

	if (rivals->is_sorted || !rivals->count)
		return;
	qsort(rivals->list, rivals->count, sizeof(*rivals->list), by_name);
	for (size_t i = 1; i < rivals->count; i++) {
		if (strcmp(rivals->list[i].name, rivals->list[kept].name) == 0) {
			free(rivals->list[i].name);
			free(rivals->list[i].depths);
		} else {
			rivals->list[++kept] = rivals->list[i];
		}
	}
	rivals->count = kept + 1;
	rivals->is_sorted = true;
}

/* The first name that is not sorted before the names with this prefix. */
static size_t find_first(const struct name_rivals *rivals, const char *text, size_t size)
{
	return COUNT_BEFORE(rivals->count, i,
			    strncmp(rivals->list[i].name, text, size) < 0);
}

static bool fits(struct name_rivals *rivals, struct short_name *text, struct rival *rival)
{
	rivals->spent += 16;
	/* most differ at their ends, which is checked fast */
	if (!short_name_may_fit(text, rival->name, rival->size))
		return false;
	if (!rival->depths)
		rival->depths = short_name_depths(rival->name);
	rivals->spent += rival->size;
	return short_name_fits(text, rival->name, rival->depths);
}

size_t name_rivals_find(struct name_rivals *rivals, const char *text, const char *name,
			const char **ret, size_t most)
{
	struct short_name *pattern = short_name_new(text);
	size_t count = 0, fixed = pattern ? short_name_fixed_size(pattern) : 0;

	if (!pattern)
		return 0;
	sort(rivals);
	for (size_t i = find_first(rivals, text, fixed);
	     i < rivals->count && count <= most &&
	     strncmp(rivals->list[i].name, text, fixed) == 0;
	     i++) {
		if (strcmp(rivals->list[i].name, name) == 0 ||
		    !fits(rivals, pattern, &rivals->list[i]))
			continue;
		if (count < most)
			ret[count] = rivals->list[i].name;
		count++;
	}
	short_name_free(pattern);
	return count;
}
