/* SPDX-License-Identifier: MIT */
/* Shortens a name so that it fits no other name. */
#pragma once

#include "analyzer/names/name_tokens.h"
#include "common/base/text.h"

/* Writes a form at most width columns wide into the buffer, which must be empty. rivals
 * NULL: no other names. */
void name_forms_shorten(struct name_rivals *rivals, struct strbuf *buffer,
			const char *name, size_t width, const char *mark);
