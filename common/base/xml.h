/* SPDX-License-Identifier: MIT */
/*
 * Text of unknown origin into XML, as text or as an attribute's value. Must not let
 * through what XML 1.0 cannot hold, not even as &#1;.
 */
#pragma once

#include "common/base/strbuf.h"

/* Appends the text escaped. Control characters become '?', bytes that are not UTF-8 and
 * the two characters that XML forbids U+FFFD. */
void xml_escape(struct strbuf *buffer, const char *text);
