/* SPDX-License-Identifier: MIT */
/* Finds a function by what people call it. Must not pick one of several silently. */
#include "analyzer/reports/names/callers_find.h"

#include "common/base/text.h"
#include "analyzer/model/meant.h"
#include "analyzer/model/shorten.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/names/near_names.h"

#include "callers_find.sql.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_NAMES 10
#define NAME_WIDTH 70

struct search {
	struct report_input *input;
	const char *wanted;
	enum meant best;
	size_t best_count;	  /* how many functions fit this well */
	struct strbuf candidates; /* lines */
	struct near_names near;	  /* used if nothing fits */
};

/* "#12 name" in a line of its own. */
static void add_candidate(struct search *search, struct cursor *cursor, const char *name)
{
	struct shorten_style style = shorten_ascii;
	ended_by(strbuf_free) struct strbuf clean = {0};

	style.names = search->input->names;
	if (search->best_count++ >= LISTED_NAMES)
		return;
	strbuf_printf(&search->candidates, "\n  #%lld ",
		      (long long)cursor_integer(cursor, "function_id"));
	utf8_clean(&clean, name);
	shorten_name(&search->candidates, strbuf_text(&clean), NAME_WIDTH, &style);
}

static void take(struct cursor *cursor, struct doc *doc, struct found_function *ret)
{
	*ret = (struct found_function){
		.function_id = cursor_integer(cursor, "function_id"),
		.name = report_text(doc, cursor, "name"),
	};
}

static void consider(struct search *search, struct cursor *cursor, struct doc *doc,
		     struct found_function *ret)
{
	const char *name = cursor_text(cursor, "name"), *wanted = search->wanted;
	enum meant fit;

	if (!name)
		return;
	if (wanted[0] == '#')
		fit = strtoll(wanted + 1, NULL, 10) ==
				      cursor_integer(cursor, "function_id")
			      ? MEANT_NAME
			      : MEANT_NOT;
	else
		fit = meant_judge(wanted, name, cursor_text(cursor, "full_name"),
				  cursor_text(cursor, "linkage_name"));
	near_names_consider(&search->near, wanted, name);
	if (fit == MEANT_NOT || fit > search->best)
		return;
	if (fit < search->best) {
		search->best = fit;
		search->best_count = 0;
		strbuf_reset(&search->candidates);
		take(cursor, doc, ret);
	} else if (strcmp(name, ret->name) == 0) {
		/* Rows come by calls, so the first one is the most called. */
		ret->namesake_count++;
		return;
	}
	add_candidate(search, cursor, name);
}

struct found_function callers_find(struct report_input *input, struct doc *doc,
				   const char *wanted)
{
	struct search search = {.input = input, .wanted = wanted, .best = MEANT_NOT};
	auto_cursor struct cursor *cursor =
		report_query(input, callers_find_sql_functions);
	struct found_function found = {0};
	struct strbuf text = {0};

	while (cursor_next(cursor))
		consider(&search, cursor, doc, &found);
	if (search.best == MEANT_NOT) {
		near_names_put(&search.near, input->names, &text);
		command_fail(STATUS_FAILED, "no function '%s' in the run%s", wanted,
			     strbuf_text(&text));
	}
	if (search.best_count <= 1)
		return found;
	strbuf_puts(&text, "'");
	utf8_clean(&text, wanted);
	strbuf_printf(&text, "' fits %zu functions; give the name or the #ID of one:%s",
		      search.best_count, strbuf_text(&search.candidates));
	if (search.best_count > LISTED_NAMES)
		strbuf_printf(&text, "\n  and %zu more",
			      search.best_count - LISTED_NAMES);
	command_fail_lines(STATUS_FAILED, strbuf_text(&text));
}
