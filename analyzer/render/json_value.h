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
/* json_pack(), never NULL: values that are 'o' are taken. */
#define json_make(...) json_must(json_pack(__VA_ARGS__))
/* A string, made valid UTF-8; null for NULL. */
json_t *json_text(const char *text);
/* A number; null when it is not finite. */
json_t *json_figure(double value);
/* An array of the names of a chain. */
json_t *json_chain(const char *chain);
/* Writes a value. In its strings hidden characters (common/plain_text.h) are escaped:
 * jansson does so with C0 controls only. Errors of the stream are the caller's to check.
 */
void json_write(json_t *value, FILE *out, size_t flags);
