/* SPDX-License-Identifier: MIT */
/* The arithmetic coder. Runs on: prof-analyze, main thread. Must not know
 * what is coded. */
#include "analyzer/archive/coder.h"

#include <string.h>

#define FAST 4
#define SLOW 7

void coder_begin_writing(struct coder *coder)
{
	*coder = (struct coder){.writes = true, .high = UINT32_MAX};
}

static unsigned next_byte(struct coder *coder)
{
	if (coder->at < coder->in_size)
		return coder->in[coder->at++];
	coder->past++;
	return 0;
}

void coder_begin_reading(struct coder *coder, const void *in, size_t size)
{
	*coder = (struct coder){.high = UINT32_MAX, .in = in, .in_size = size};
	for (int i = 0; i < 4; i++)
		coder->code = coder->code << 8 | next_byte(coder);
}

void coder_flush(struct coder *coder)
{
	for (int i = 0; i < 4; i++) {
		strbuf_putc(&coder->out, (char)(coder->low >> 24));
		coder->low <<= 8;
	}
}

void coder_model_init(struct coder_model *models, size_t count)
{
	for (size_t i = 0; i < count; i++)
		models[i] = (struct coder_model){1u << 15, 1u << 15};
}

static void shift(struct coder *coder)
{
	while (((coder->low ^ coder->high) & 0xff000000u) == 0) {
		if (coder->writes)
			strbuf_putc(&coder->out, (char)(coder->high >> 24));
		else
			coder->code = coder->code << 8 | next_byte(coder);
		coder->low <<= 8;
		coder->high = coder->high << 8 | 0xff;
	}
}

/* probability: of a 1, in 65536ths, neither 0 nor all. */
static bool divide(struct coder *coder, uint32_t probability, bool bit)
{
	uint32_t middle =
		coder->low +
		(uint32_t)((uint64_t)(coder->high - coder->low) * probability >> 16);

	if (!coder->writes)
		bit = coder->code <= middle;
	if (bit)
		coder->high = middle;
	else
		coder->low = middle + 1;
	shift(coder);
	return bit;
}

bool coder_bit(struct coder *coder, struct coder_model *model, bool bit)
{
	uint32_t probability = ((uint32_t)model->fast + model->slow) >> 1;

	bit = divide(coder,
		     probability < 24	   ? 24
		     : probability > 65512 ? 65512
					   : probability,
		     bit);
	if (bit) {
		model->fast = (uint16_t)(model->fast + ((65535 - model->fast) >> FAST));
		model->slow = (uint16_t)(model->slow + ((65535 - model->slow) >> SLOW));
	} else {
		model->fast = (uint16_t)(model->fast - (model->fast >> FAST));
		model->slow = (uint16_t)(model->slow - (model->slow >> SLOW));
	}
	return bit;
}

unsigned coder_symbol(struct coder *coder, struct coder_model *models, unsigned bits,
		      unsigned symbol)
{
	unsigned node = 1;

	for (unsigned i = bits; i-- > 0;)
		node = node << 1 | coder_bit(coder, &models[node], symbol >> i & 1);
	return node - (1u << bits);
}

static uint64_t fold_sign(int64_t number)
{
	return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

unsigned coder_length(int64_t number)
{
	uint64_t size = fold_sign(number);

	return size ? 64 - (unsigned)__builtin_clzll(size) : 0;
}

/* The bits below the first one: two by models, the others as they are. */
static uint64_t code_rest(struct coder *coder, struct coder_model *models,
			  unsigned length, uint64_t size)
{
	uint64_t value = 1;
	unsigned node = 1;

	for (unsigned i = length - 1; i-- > 0;) {
		bool bit = size >> i & 1;

		if (node < 4) {
			bit = coder_bit(coder, &models[node], bit);
			node = node << 1 | bit;
		} else {
			bit = divide(coder, 1u << 15, bit);
		}
		value = value << 1 | bit;
	}
	return value;
}

int64_t coder_number(struct coder *coder, struct coder_model *lengths,
		     struct coder_model *leading, int64_t number)
{
	uint64_t size = fold_sign(number);
	unsigned length = coder_length(number);

	if (!coder_bit(coder, &lengths[0], length != 0))
		return 0;
	/* 1 to 64, less one; a stranger's file may say more */
	length = coder_symbol(coder, lengths, 6, length - 1) + 1;
	size = code_rest(coder, leading + length * 8, length, size);
	return (int64_t)(size >> 1 ^ (size & 1 ? UINT64_MAX : 0));
}
