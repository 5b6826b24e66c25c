/* SPDX-License-Identifier: MIT */
/* Finding a function by what people call it. Must not pick one of several silently. */
#include "analyzer/reports/callers_find.h"

#include "common/base/nearest.h"
#include "common/base/utf8.h"
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include "callers.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_NAMES 5

/* How well a name fits, best first. */
enum fit { FIT_EXACT, FIT_LINKAGE, FIT_BASE, FIT_LAST_PART, FIT_PART, FIT_NOT };

/* Bytes of a name without arguments and template arguments: where its own '(' or '<'
 * begins. */
static size_t base_size(const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 1; i < size; i++) {
		if (i >= 8 && memcmp(name + i - 8, "operator", 8) == 0)
			return size;
		if (name[i] == '(' && strncmp(name + i, "(anonymous", 10) != 0)
			return i;
		if (name[i] == '<')
			return i;
	}
	return size;
}

static enum fit judge(const char *wanted, const char *name, const char *linkage_name)
{
	size_t wanted_size = strlen(wanted), size = base_size(name);
	const char *part;

	if (strcmp(name, wanted) == 0)
		return FIT_EXACT;
	if (linkage_name && strcmp(linkage_name, wanted) == 0)
		return FIT_LINKAGE;
	if (size == wanted_size && memcmp(name, wanted, size) == 0)
		return FIT_BASE;
	part = size > wanted_size ? name + size - wanted_size : name;
	if (size > wanted_size + 1 && memcmp(part, wanted, wanted_size) == 0 &&
	    part[-1] == ':')
		return FIT_LAST_PART;
	return strstr(name, wanted) ? FIT_PART : FIT_NOT;
}

struct search {
	struct report_input *input;
	const char *wanted;
	enum fit best;
	size_t best_count; /* different names that fit so */
	struct strbuf best_names;
	struct strbuf last_name;
	/* Nearest by spelling, for when nothing fits. */
	struct {
		unsigned distance;
		char *name;
	} nearest[LISTED_NAMES];
};

static void add_name(struct search *search, const char *name)
{
	if (strcmp(strbuf_text(&search->last_name), name) == 0 && search->best_count)
		return;
	strbuf_reset(&search->last_name);
	strbuf_puts(&search->last_name, name);
	if (search->best_count++ < LISTED_NAMES)
		strbuf_printf(&search->best_names, "%s%s",
			      search->best_count > 1 ? ", " : "", name);
}

static void remember_near(struct search *search, const char *name)
{
	char *base = xstrndup(name, base_size(name));
	const char *part = strrchr(base, ':') ? strrchr(base, ':') + 1 : base;
	unsigned distance = nearest_distance(search->wanted, base);
	unsigned part_distance = nearest_distance(search->wanted, part);
	size_t length = strlen(search->wanted), place = LISTED_NAMES;

	free(base);
	distance = distance < part_distance ? distance : part_distance;
	if (distance > 2 + length / 4)
		return;
	while (place > 0 && (!search->nearest[place - 1].name ||
			     search->nearest[place - 1].distance > distance))
		place--;
	if (place == LISTED_NAMES)
		return;
	free(search->nearest[LISTED_NAMES - 1].name);
	memmove(&search->nearest[place + 1], &search->nearest[place],
		(LISTED_NAMES - 1 - place) * sizeof(search->nearest[0]));
	search->nearest[place].distance = distance;
	search->nearest[place].name = xstrdup(name);
}

static void take(struct cursor *cursor, struct doc *doc, struct found_function *ret)
{
	struct strbuf name = {0};

	utf8_clean(&name,
		   cursor_text(cursor, "name") ? cursor_text(cursor, "name") : "?");
	*ret = (struct found_function){
		.function_id = cursor_integer(cursor, "function_id"),
		.name = doc_copy(doc, strbuf_text(&name)),
		.file = doc_copy(doc, cursor_text(cursor, "file")),
		.line = (uint32_t)cursor_integer(cursor, "line"),
		.calls = cursor_integer(cursor, "calls"),
		.total_ns = cursor_integer(cursor, "total_ns"),
		.ready_ns = cursor_integer(cursor, "ready_ns"),
		.blocked_ns = cursor_integer(cursor, "blocked_ns"),
		.self_ns = cursor_integer(cursor, "self_ns"),
		.self_ready_ns = cursor_integer(cursor, "self_ready_ns"),
		.self_blocked_ns = cursor_integer(cursor, "self_blocked_ns"),
		.total_error_ns = cursor_integer(cursor, "total_error_ns"),
		.self_error_ns = cursor_integer(cursor, "self_error_ns"),
		.recording = report_text(doc, cursor, "recording"),
		.alloc_count = cursor_integer(cursor, "alloc_count"),
		.alloc_bytes = cursor_integer(cursor, "alloc_bytes"),
	};
	strbuf_free(&name);
}

static void consider(struct search *search, struct cursor *cursor, struct doc *doc,
		     struct found_function *ret)
{
	const char *name = cursor_text(cursor, "name"), *wanted = search->wanted;
	enum fit fit;

	if (!name)
		return;
	if (wanted[0] == '#')
		fit = strtoll(wanted + 1, NULL, 10) ==
				      cursor_integer(cursor, "function_id")
			      ? FIT_EXACT
			      : FIT_NOT;
	else
		fit = judge(wanted, name, cursor_text(cursor, "linkage_name"));
	remember_near(search, name);
	if (fit == FIT_NOT || fit > search->best)
		return;
	if (fit < search->best) {
		search->best = fit;
		search->best_count = 0;
		strbuf_reset(&search->best_names);
		take(cursor, doc, ret);
	} else if (strcmp(name, ret->name) == 0) {
		/* Rows come by calls: the first is the most called. */
		ret->namesake_count++;
	}
	add_name(search, name);
}

static enum exit_status not_found(struct search *search)
{
	struct strbuf list = {0};

	for (size_t i = 0; i < LISTED_NAMES && search->nearest[i].name; i++)
		strbuf_printf(&list, "%s%s", i ? ", " : "; did you mean ",
			      search->nearest[i].name);
	report_fail(search->input, STATUS_FAILED, "no function '%s' in the run%s%s",
		    search->wanted, strbuf_text(&list), list.size ? "?" : "");
	strbuf_free(&list);
	return STATUS_FAILED;
}

static enum exit_status verdict(struct search *search)
{
	char more[32] = "";

	if (search->best == FIT_NOT)
		return not_found(search);
	if (search->best_count <= 1)
		return STATUS_OK;
	if (search->best_count > LISTED_NAMES)
		snprintf(more, sizeof(more), " and %zu more",
			 search->best_count - LISTED_NAMES);
	return report_fail(search->input, STATUS_FAILED,
			   "'%s' fits %zu functions: %s%s; give more of the name",
			   search->wanted, search->best_count,
			   strbuf_text(&search->best_names), more);
}

enum exit_status callers_find(struct report_input *input, struct doc *doc,
			      const char *wanted, struct found_function *ret)
{
	struct search search = {.input = input, .wanted = wanted, .best = FIT_NOT};
	enum exit_status status;
	struct cursor *cursor = report_query(input, callers_sql_functions);

	while (cursor_next(cursor) > 0)
		consider(&search, cursor, doc, ret);
	status = report_finish(input, cursor) < 0 ? STATUS_FAILED : verdict(&search);
	strbuf_free(&search.best_names);
	strbuf_free(&search.last_name);
	for (size_t i = 0; i < LISTED_NAMES; i++)
		free(search.nearest[i].name);
	return status;
}
