/* SPDX-License-Identifier: MIT */
/* Caches short forms: chains ask for the same names again and again. */
#include "analyzer/names/name_pool.h"

#include "analyzer/names/name_forms.h"
#include "common/base/map.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* texts: names and their forms. forms: the form for each name, width and first byte of
 * the mark. */
struct name_pool {
	struct name_rivals rivals;
	struct intern texts;
	struct map forms;
};

struct name_pool *name_pool_new(void)
{
	return xcalloc(1, sizeof(struct name_pool));
}

void name_pool_free(struct name_pool *pool)
{
	if (!pool)
		return;
	name_rivals_free(&pool->rivals);
	intern_free(&pool->texts);
	map_done(&pool->forms);
	free(pool);
}

void name_pool_add(struct name_pool *pool, const char *name)
{
	name_rivals_add(&pool->rivals, name);
}

static void put_form(struct name_pool *pool, struct strbuf *buffer, const char *name,
		     size_t width, const char *mark)
{
	uint32_t number = intern_text(&pool->texts, name, NULL);
	uint32_t form = map_get(&pool->forms, number, width, (unsigned char)*mark);
	struct strbuf text = {0};

	if (form == MAP_NONE) {
		name_forms_shorten(&pool->rivals, &text, name, width, mark);
		form = intern_text(&pool->texts, strbuf_text(&text), NULL);
		map_put(&pool->forms, number, width, (unsigned char)*mark, form);
		strbuf_free(&text);
	}
	strbuf_puts(buffer, intern_name(&pool->texts, form));
}

void name_pool_shorten(struct name_pool *pool, struct strbuf *buffer, const char *name,
		       size_t width, const char *mark)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	if (utf8_width(name) <= width) {
		strbuf_puts(buffer, name);
		return;
	}
	if (pool) {
		put_form(pool, buffer, name, width, mark);
		return;
	}
	name_forms_shorten(NULL, &text, name, width, mark);
	strbuf_puts(buffer, strbuf_text(&text));
}
