/* SPDX-License-Identifier: MIT */
/* Texts and blobs of a packed run. Must not trust what it reads. */
#pragma once

#include "analyzer/archive/coder.h"
#include "analyzer/archive/rows.h"
#include "common/base/map.h"

/* What is known of the bytes of one kind: how many they are, and which follows which. */
struct bytes_models {
	struct coder_model sizes[64], leading[CODER_NUMBER_MODELS], behind[256 * 256];
};

void bytes_init(struct bytes_models *models);
/* Writes the value's bytes, or reads them into the arena. false: there are none. */
bool bytes_code(struct bytes_models *models, struct coder *coder,
		struct rows_value *value, struct arena *arena);

/* Fills texts: with those of the reference (or NULL), which the reader has, then with
 * those of rows that are not among them, which are coded. false: these are none. */
bool texts_code(struct intern *texts, struct coder *coder, const struct rows *reference,
		struct rows *rows);
/* A value as a number, that of its text if it is one (the part before a NUL); 0 for what
 * has none, and for NULL. */
uint64_t texts_number(const struct intern *texts, const struct rows_value *value);
/* Gives the value, whose kind is set, the number or the text of this number. false: there
 * is no such text. */
bool texts_give(const struct intern *texts, uint64_t number, struct rows_value *value,
		struct arena *arena);
