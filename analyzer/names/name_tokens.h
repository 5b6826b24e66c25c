/* SPDX-License-Identifier: MIT */
/* The pieces of a function's name that are shown or left out as a whole. */
#pragma once

#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

#define NAME_TOKEN_NONE UINT32_MAX

struct name_token {
	uint32_t from, end; /* bytes of the name */
	uint32_t opener;    /* the token that opens the innermost bracket, or none */
	uint32_t partner;   /* of a bracket: the other one; else none */
	uint32_t depth;	    /* brackets that it stands in, a bracket itself in one less */
	bool in_parentheses; /* in one of these, at least */
	bool starts_part;    /* behind "::" outside of all brackets, or the first */
};

/* How small they are. NAME_TOKENS_WORDS: identifiers; NAME_TOKENS_PIECES: parts of
 * identifiers, of 10 letters at most. */
enum name_tokens_size { NAME_TOKENS_WORDS, NAME_TOKENS_PIECES };

/* Zeroed: none. name is borrowed. last_part: the token with which the last part begins
 * that is no parameters. */
struct name_tokens {
	const char *name;
	struct name_token *list;
	size_t count, last_part;
};

void name_tokens_read(struct name_tokens *ret, const char *name,
		      enum name_tokens_size size);
void name_tokens_free(struct name_tokens *tokens);

/* The token of a byte. */
size_t name_tokens_at(const struct name_tokens *tokens, size_t byte);

/* Sets a token's flag, and those of the brackets that it stands in. */
void name_tokens_show(const struct name_tokens *tokens, bool *shown, size_t token);

/* Replaces the buffer by what is shown, marks for the rest. false: it is wider. */
bool name_tokens_put(const struct name_tokens *tokens, const bool *shown,
		     const char *mark, size_t width, struct strbuf *buffer);
