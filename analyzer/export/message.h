/* SPDX-License-Identifier: MIT */
/*
 * Messages as protocol buffers encode them: fields with a number each. Must not know
 * which messages there are.
 */
#pragma once

#include "common/base/strbuf.h"

#include <stdint.h>

/* Of 0 nothing is written: a field that is not there is 0. */
void message_number(struct strbuf *message, unsigned field, int64_t value);
void message_bytes(struct strbuf *message, unsigned field, const char *data, size_t size);
/* Appends one number of a packed field, which message_bytes() then takes. */
void message_pack(struct strbuf *packed, int64_t value);
