/* SPDX-License-Identifier: MIT */
/*
 * Values of json documents. Out of memory ends the program, as xalloc
 * does.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* The value, never NULL. */
json_t *json_must(json_t *value);
/* json_pack(), never NULL; takes 'o' values. */
#define json_make(...) json_must(json_pack(__VA_ARGS__))
/* A string, made valid UTF-8; null for NULL. */
json_t *json_text(const char *text);
/* A number; null when it is not finite. */
json_t *json_figure(double value);
/* An array of the names of a chain. */
json_t *json_chain(const char *chain);
/* Writes a value. Hidden characters in strings (common/plain_text.h) are escaped; jansson
 * only escapes C0 controls. The caller checks the stream for errors. */
void json_write(json_t *value, FILE *out, size_t flags);
