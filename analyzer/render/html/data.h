/* SPDX-License-Identifier: MIT */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/text.h"

/* Data for a script: a JSON text and numbers, in as few bytes as they need. */

/* strbuf_put_leb128() of a number with a sign: small ones either way are short. */
void bytes_add_signed(struct strbuf *buffer, int64_t value);
/* Writes the size of the JSON, it and the numbers as the script element of this id,
 * compressed (zlib), in base64. Takes the head. Out of memory ends the program. */
void bytes_write(FILE *out, const char *id, json_t *head, const struct strbuf *numbers);
