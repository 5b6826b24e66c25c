/* SPDX-License-Identifier: MIT */
/* A name in little room, so that it fits no other. */
#pragma once

#include "analyzer/names/name_rivals.h"
#include "common/base/strbuf.h"

/* Puts a form of the name that is at most width columns wide into the buffer, which is
 * empty. rivals: NULL: there are none. */
void name_forms_shorten(struct name_rivals *rivals, struct strbuf *buffer,
			const char *name, size_t width, const char *mark);
