/* SPDX-License-Identifier: MIT */
/* Tokens of function names, which are shown or left out as a whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"
#include "common/names/short_name.h"

#define NAME_TOKEN_NONE UINT32_MAX

struct name_token {
	uint32_t from, end; /* bytes of the name */
	uint32_t opener;    /* the token that opens the innermost bracket, or none */
	uint32_t partner;   /* of a bracket: its counterpart; else none */
	uint32_t
		depth; /* number of enclosing brackets; a bracket does not count itself */
	bool in_parentheses; /* in at least one pair of these */
	bool starts_part;    /* after "::" outside of brackets, or the first token */
};

/* Size of tokens. NAME_TOKENS_WORDS: identifiers; NAME_TOKENS_PIECES: parts of
 * identifiers, at most 10 letters long. */
enum name_tokens_size { NAME_TOKENS_WORDS, NAME_TOKENS_PIECES };

/* Zeroed: none. name is borrowed. last_part: first token of the last part that is no
 * parameter list. */
struct name_tokens {
	const char *name;
	struct name_token *list;
	size_t count, last_part;
};

void name_tokens_read(struct name_tokens *ret, const char *name,
		      enum name_tokens_size size);
void name_tokens_free(struct name_tokens *tokens);

/* The token that contains a byte. */
size_t name_tokens_at(const struct name_tokens *tokens, size_t byte);

/* Sets the flag of a token and of the brackets around it. */
void name_tokens_show(const struct name_tokens *tokens, bool *shown, size_t token);

/* Replaces the buffer by the shown tokens, with marks for the rest. False: too wide. */
bool name_tokens_put(const struct name_tokens *tokens, const bool *shown,
		     const char *mark, size_t width, struct strbuf *buffer);

/* Finds other names that a shortened text fits. The work is counted, so that callers can
 * stop. */

/* Zeroed: none. */
struct name_rivals {
	struct rival *list; /* sorted on first use */
	size_t count;
	bool is_sorted;
	unsigned long long spent; /* bytes of names compared */
};

void name_rivals_add(struct name_rivals *rivals, const char *name);
void name_rivals_free(struct name_rivals *rivals);

/* Whether the comparisons took so much that they must end. */
bool name_rivals_is_tired(const struct name_rivals *rivals);

/* Finds other names that the text fits. Writes the first `most` into ret (NULL is allowed
 * for 0); returns how many there are, at most `most` + 1. */
size_t name_rivals_find(struct name_rivals *rivals, const char *text, const char *name,
			const char **ret, size_t most);
