/* SPDX-License-Identifier: MIT */
/* Numbers put together for a script: in as few bytes as they need. */
#pragma once

#include "common/base/strbuf.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Seven bits a byte, the lowest first; the eighth: more follow. */
void bytes_add(struct strbuf *buffer, uint64_t value);
/* The same of a number with a sign: small ones either way are short. */
void bytes_add_signed(struct strbuf *buffer, int64_t value);
/* Writes them compressed (zlib), in base64. Out of memory ends the program. */
void bytes_write(const struct strbuf *buffer, FILE *out);
