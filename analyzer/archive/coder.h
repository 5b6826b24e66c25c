/* SPDX-License-Identifier: MIT */
/*
 * Numbers and bytes in few bits: an arithmetic coder whose models learn from what they
 * have seen. The same calls write and read, so what is written is read in the same way.
 *
 * The coder is the carryless one of Subbotin (1999) for two symbols: a range of 32 bits
 * is divided in proportion to the probability of each. Each model averages a fast and a
 * slow estimate.
 *
 * Must not trust what it reads: any bytes give some values, and behind the end come zeros
 * (past).
 */
#pragma once

#include "common/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More bytes behind the end are not read of what this coder wrote. */
#define CODER_PAST_MOST 64

/* The probability of a 1 in 65536ths, twice. coder_model_init() makes them even. */
struct coder_model {
	uint16_t fast, slow;
};

struct coder {
	bool writes;
	uint32_t low, high, code;
	const unsigned char *in;
	size_t in_size, at, past; /* past: bytes that were read behind the end */
	struct strbuf out;
};

void coder_begin_writing(struct coder *coder);
/* in is borrowed. */
void coder_begin_reading(struct coder *coder, const void *in, size_t size);
/* Call it when all was written; out is then complete. */
void coder_flush(struct coder *coder);
void coder_model_init(struct coder_model *models, size_t count);
/* These return the value: the one given when writing. */
bool coder_bit(struct coder *coder, struct coder_model *model, bool bit);
/* A number of so many bits, by (1 << bits) models. */
unsigned coder_symbol(struct coder *coder, struct coder_model *models, unsigned bits,
		      unsigned symbol);

#define CODER_NUMBER_MODELS (128 + 65 * 8)
/* A signed number, small ones in fewer bits; models: CODER_NUMBER_MODELS, of which the
 * first 128 may be others for each context. */
int64_t coder_number(struct coder *coder, struct coder_model *lengths,
		     struct coder_model *leading, int64_t number);
/* The bits of a number's size, 0 to 64; the sign is the lowest. */
unsigned coder_length(int64_t number);
