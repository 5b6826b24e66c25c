/* SPDX-License-Identifier: MIT */
/* Which bracket of a demangled name belongs to which. */
#pragma once

#include <stdint.h>

/* For each byte of name (less than 4 GiB) the place of the bracket that belongs to it,
 * its own: it is none, or has no partner. The brackets of operators ("operator<<") and
 * arrows are none. Owned by the caller (free); takes time as the name is long. */
uint32_t *cxx_brackets(const char *name);
