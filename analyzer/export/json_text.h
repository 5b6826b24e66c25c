/* SPDX-License-Identifier: MIT */
/* JSON that is written piece by piece, without a tree in memory. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* Writes text as a JSON string; NULL as null. */
void json_put_text(FILE *out, const char *text);
/* Writes ns as a number with a decimal point before the last `digits` of it, exactly. */
void json_put_scaled(FILE *out, int64_t value, unsigned digits);
