/* SPDX-License-Identifier: MIT */
/* The words of common/trust.c, for queries. */
#include "common/trust.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

#include <string.h>

static const struct trust_counter *counter_of(const struct cell *name)
{
	return name->kind == CELL_TEXT ? trust_counter_find(name->text) : NULL;
}

/* trust_word(name, what): NULL if the counter is not known or has no such words. */
static struct cell word(void *context, const struct cell *values)
{
	const struct trust_counter *counter = counter_of(&values[0]);
	const char *what = values[1].kind == CELL_TEXT ? values[1].text : "";

	(void)context;
	if (!counter)
		return cell_text(NULL);
	if (strcmp(what, "weight") == 0)
		return cell_integer(counter->weight);
	if (strcmp(what, "touches") == 0)
		return cell_integer(counter->touches);
	if (strcmp(what, "whole") == 0)
		return cell_integer(counter->whole);
	return cell_text(strcmp(what, "one") == 0	? counter->one
			 : strcmp(what, "many") == 0	? counter->many
			 : strcmp(what, "meaning") == 0 ? counter->meaning
							: counter->advice);
}

/* trust_text(name, value): "13 calls folded into their callers". */
static struct cell text(void *context, const struct cell *values)
{
	struct ask *ask = context;
	const struct trust_counter *counter = counter_of(&values[0]);

	if (!counter)
		return cell_text(NULL);
	strbuf_reset(&ask->text);
	units_trust(&ask->text, counter, cell_whole(&values[1]));
	return cell_text(strbuf_text(&ask->text));
}

SECTION_CODE(trust_words)
{
	(void)doc, (void)rows;
	rundb_function(ask->input->db, "trust_word", 2, word, ask);
	rundb_function(ask->input->db, "trust_text", 2, text, ask);
}
