/* SPDX-License-Identifier: MIT */
/*
 * Writes text of unknown origin into XML, as text or attribute value. Must not let
 * through what XML 1.0 cannot contain, not even as &#1;.
 */
#pragma once

#include "common/base/strbuf.h"

/* Appends the text, escaped. Control characters become '?'; invalid UTF-8 and the two
 * characters that XML forbids become U+FFFD. */
void xml_escape(struct strbuf *buffer, const char *text);
