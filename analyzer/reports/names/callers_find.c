/* SPDX-License-Identifier: MIT */
/* Finds a function by what people call it. Must not pick one of several silently. */
#include "analyzer/reports/names/callers_find.h"

#include "common/base/text.h"
#include "analyzer/model/meant.h"
#include "analyzer/model/shorten.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/names/near_names.h"

#include "callers_find.sql.h"

#include <stdio.h>
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

static enum exit_status not_found(struct search *search)
{
	ended_by(strbuf_free) struct strbuf list = {0};

	near_names_put(&search->near, search->input->names, &list);
	command_fail(STATUS_FAILED, "no function '%s' in the run%s", search->wanted,
		     strbuf_text(&list));
	return STATUS_FAILED;
}

static enum exit_status verdict(struct search *search)
{
	struct strbuf text = {0};
	char more[48] = "";

	if (search->best == MEANT_NOT)
		return not_found(search);
	if (search->best_count <= 1)
		return STATUS_OK;
	if (search->best_count > LISTED_NAMES)
		snprintf(more, sizeof(more), "\n  and %zu more",
			 search->best_count - LISTED_NAMES);
	strbuf_printf(&text, "'%s' fits %zu functions; give the name or the #ID of one:",
		      search->wanted, search->best_count);
	strbuf_puts(&text, strbuf_text(&search->candidates));
	strbuf_puts(&text, more);
	command_fail_lines(STATUS_FAILED, strbuf_text(&text));
	return STATUS_FAILED;
}

enum exit_status callers_find(struct report_input *input, struct doc *doc,
			      const char *wanted, struct found_function *ret)
{
	struct search search = {.input = input, .wanted = wanted, .best = MEANT_NOT};
	enum exit_status status;
	struct cursor *cursor = report_query(input, callers_find_sql_functions);

	while (cursor_next(cursor) > 0)
		consider(&search, cursor, doc, ret);
	status = report_finish(input, cursor) < 0 ? STATUS_FAILED : verdict(&search);
	strbuf_free(&search.candidates);
	near_names_free(&search.near);
	return status;
}
