/* SPDX-License-Identifier: MIT */
/* Codes texts and blobs. Runs on: prof-analyze, main thread. */
#include "analyzer/archive/texts.h"

#include "common/base/xalloc.h"

#include <string.h>

#define SIZE_MOST (64u << 20)

void bytes_init(struct bytes_models *models)
{
	coder_model_init((struct coder_model *)models,
			 sizeof(*models) / sizeof(struct coder_model));
}

bool bytes_code(struct bytes_models *models, struct coder *coder,
		struct rows_value *value, struct arena *arena)
{
	int64_t size = coder_number(coder, models->sizes, models->leading, value->size);
	ended_by(strbuf_free) struct strbuf bytes = {0};
	unsigned before = 0;

	if (size < 0 || size > SIZE_MOST)
		return false;
	for (int64_t i = 0; i < size && coder->past <= CODER_PAST_MOST; i++) {
		before = coder_symbol(coder, models->behind + before * 256, 8,
				      coder->writes ? (unsigned char)value->bytes[i] : 0);
		if (!coder->writes)
			strbuf_putc(&bytes, (char)before);
	}
	if (!coder->writes) {
		value->size = (uint32_t)bytes.size;
		value->bytes = arena_copy(arena, strbuf_text(&bytes), bytes.size);
	}
	return coder->past <= CODER_PAST_MOST;
}

uint64_t texts_number(const struct intern *texts, const struct rows_value *value)
{
	if (!value || value->kind == ROWS_NULL || value->kind == ROWS_BLOB)
		return 0;
	if (value->kind == ROWS_TEXT)
		return intern_find_bytes(texts, value->bytes,
					 strnlen(value->bytes, value->size));
	return (uint64_t)value->number;
}

bool texts_give(const struct intern *texts, uint64_t number, struct rows_value *value,
		struct arena *arena)
{
	const char *text = "";

	if (value->kind != ROWS_TEXT) {
		value->number = (int64_t)number;
		return true;
	}
	if (number < texts->count)
		text = intern_name(texts, (uint32_t)number);
	value->size = (uint32_t)strlen(text);
	value->bytes = arena_copy(arena, text, value->size);
	return number < texts->count;
}

static void add(struct intern *texts, const struct rows_value *text)
{
	if (text->kind == ROWS_TEXT)
		intern_bytes(texts, text->bytes, strnlen(text->bytes, text->size), NULL);
}

static void add_all(struct intern *texts, const struct rows *rows)
{
	for (size_t i = 0; i < rows->table_count; i++)
		for (size_t k = 0; k < rows->tables[i].column_count; k++)
			for (size_t row = 0; row < rows->tables[i].row_count; row++)
				add(texts, &rows->tables[i].columns[k].values[row]);
}

bool texts_code(struct intern *texts, struct coder *coder, const struct rows *reference,
		struct rows *rows)
{
	auto_free struct bytes_models *models = xcalloc(1, sizeof(*models));
	size_t first;
	int64_t count;

	bytes_init(models);
	if (reference)
		add_all(texts, reference);
	first = texts->count;
	if (coder->writes)
		add_all(texts, rows);
	count = coder_number(coder, models->sizes, models->leading,
			     (int64_t)(texts->count - first));
	for (int64_t i = 0; i < count; i++) {
		struct rows_value text = {.bytes = "", .kind = ROWS_TEXT};

		if (coder->writes) {
			text.bytes = intern_name(texts, (uint32_t)first + (uint32_t)i);
			text.size = (uint32_t)strlen(text.bytes);
		}
		if (!bytes_code(models, coder, &text, &rows->bytes))
			return false;
		if (!coder->writes)
			add(texts, &text);
	}
	return true;
}
