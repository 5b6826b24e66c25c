/* SPDX-License-Identifier: MIT */
/* A short list, ordered by distance. */
#include "analyzer/reports/names/near_names.h"

#include "common/base/xalloc.h"
#include "analyzer/model/meant.h"
#include "analyzer/model/shorten.h"

#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 60

void near_names_consider(struct near_names *near, const char *text, const char *name)
{
	unsigned distance = meant_distance(text, name);
	size_t place = NEAR_NAMES;

	if (distance > 2 + strlen(text) / 4)
		return;
	while (place > 0 &&
	       (!near->list[place - 1].name || near->list[place - 1].distance > distance))
		place--;
	if (place == NEAR_NAMES)
		return;
	memmove(&near->list[place + 1], &near->list[place],
		(NEAR_NAMES - 1 - place) * sizeof(near->list[0]));
	near->list[place].distance = distance;
	near->list[place].name = xstrdup(name);
}

void near_names_put(const struct near_names *near, struct name_pool *names,
		    struct strbuf *sentence)
{
	struct shorten_style style = shorten_ascii;

	style.names = names;
	for (size_t i = 0; i < NEAR_NAMES && near->list[i].name; i++) {
		strbuf_puts(sentence, i ? ", " : "; did you mean ");
		shorten_name(sentence, near->list[i].name, NAME_WIDTH, &style);
	}
	if (near->list[0].name)
		strbuf_putc(sentence, '?');
}
