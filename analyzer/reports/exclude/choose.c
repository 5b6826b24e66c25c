/* SPDX-License-Identifier: MIT */
/*
 * Which functions are worth leaving out, and by what. Must not leave out who allocates:
 * its blocks would be its caller's.
 */
#include "analyzer/reports/exclude/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "exclude.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 20
#define DEFAULT_SHARE 0.5 /* of what the hooks took, in percent */
/* Of a hundred calls one that allocates: then the function stays. */
#define ALLOCATING_CALLS 100

static const char *copy_of(struct exclusion *exclusion,
			   void (*put)(struct strbuf *, const char *), const char *text)
{
	struct strbuf buffer = {0};
	const char *copy = NULL;

	put(&buffer, text);
	if (buffer.size)
		copy = doc_copy(exclusion->doc, strbuf_text(&buffer));
	strbuf_free(&buffer);
	return copy;
}

/* What its hooks took, as it was recorded. */
static struct hooks_cost cost_of(const struct hooks *hooks, double calls, double counted)
{
	counted = fmin(calls, fmax(0, counted));
	return (struct hooks_cost){
		.ns = (calls - counted) * hooks->pair.ns + counted * hooks->counted.ns,
		.error_ns = (calls - counted) * hooks->pair.error_ns +
			    counted * hooks->counted.error_ns,
	};
}

/* Its hooks would take as long as it does itself, or do so in nearly all of its calls (a
 * few that waited for a CPU take longer than all others), or its time is not known. */
static bool is_worth_it(const struct exclusion *exclusion, const struct candidate *one,
			struct cursor *cursor)
{
	double calls = (double)one->calls, self_ns = (double)one->self_ns;
	double pair_ns = exclusion->facts->hooks.pair.ns;
	bool is_short = !cursor_is_null(cursor, "p99_ns") &&
			cursor_real(cursor, "p99_ns") < pair_ns;

	return calls > 0 &&
	       cursor_real(cursor, "alloc_count") * ALLOCATING_CALLS < calls &&
	       (calls * pair_ns > self_ns || is_short ||
		!units_is_known(self_ns, (double)one->self_error_ns));
}

static void take(struct exclusion *exclusion, struct cursor *cursor)
{
	const struct hooks *hooks = &exclusion->facts->hooks;
	const char *name = report_text(exclusion->doc, cursor, "name");
	const char *full = cursor_text(cursor, "full_name");
	struct candidate one = {
		.name = name ? name : "?",
		.file = report_text(exclusion->doc, cursor, "file"),
		.line = (uint32_t)cursor_integer(cursor, "line"),
		.function_id = cursor_integer(cursor, "function_id"),
		.calls = cursor_integer(cursor, "calls"),
		.self_ns = cursor_integer(cursor, "self_ns"),
		.self_error_ns = cursor_integer(cursor, "self_error_ns"),
	};

	/* what the compiler writes, not what is printed */
	one.visible = copy_of(exclusion, exclude_visible, full ? full : one.name);
	one.saved =
		cost_of(hooks, (double)one.calls, cursor_real(cursor, "counted_calls"));
	one.is_chosen = cursor_integer(cursor, "is_function") &&
			cursor_integer(cursor, "is_named") &&
			is_worth_it(exclusion, &one, cursor);
	exclusion->list = xgrow(exclusion->list, exclusion->count, &exclusion->capacity,
				sizeof(*exclusion->list));
	exclusion->list[exclusion->count++] = one;
}

int exclude_load(struct exclusion *exclusion)
{
	struct cursor *cursor = report_query(exclusion->input, exclude_sql_functions);

	while (cursor_next(cursor) > 0)
		take(exclusion, cursor);
	return report_finish(exclusion->input, cursor);
}

static int by_saving(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->is_chosen != b->is_chosen)
		return b->is_chosen - a->is_chosen;
	if (a->saved.ns != b->saved.ns)
		return a->saved.ns < b->saved.ns ? 1 : -1;
	return (a->function_id > b->function_id) - (a->function_id < b->function_id);
}

/* What most of the program's own time is in is what somebody wants to see. */
static void keep_hottest(struct exclusion *exclusion)
{
	struct candidate *hottest = NULL;

	for (size_t i = 0; i < exclusion->count; i++) {
		struct candidate *one = &exclusion->list[i];

		if (one->calls > 0 && one->self_ns > one->self_error_ns &&
		    (!hottest || one->self_ns > hottest->self_ns))
			hottest = one;
	}
	if (hottest)
		hottest->is_chosen = false;
}

void exclude_choose(struct exclusion *exclusion)
{
	const struct report_options *options = exclusion->input->options;
	double share = options->min_share >= 0 ? options->min_share : DEFAULT_SHARE;
	double least_ns = share / 100 * hooks_total(&exclusion->facts->hooks).ns;
	size_t limit = report_limit(exclusion->input, DEFAULT_ROWS);

	if (!exclusion->count)
		return;
	keep_hottest(exclusion);
	qsort(exclusion->list, exclusion->count, sizeof(*exclusion->list), by_saving);
	for (size_t i = 0; i < exclusion->count; i++) {
		struct candidate *one = &exclusion->list[i];

		if (!one->is_chosen || one->saved.ns < least_ns)
			one->is_chosen = false;
		else if (limit && exclusion->chosen_count == limit)
			one->is_chosen = false, exclusion->left_out_count++;
		else
			exclusion->chosen_count++;
	}
}

/* A function that stays, and would be left out by the word; NULL: none. */
static const char *taken_along(const struct exclusion *exclusion, const char *word)
{
	for (size_t i = exclusion->chosen_count; i < exclusion->count; i++)
		if (exclusion->list[i].visible &&
		    strstr(exclusion->list[i].visible, word))
			return exclusion->list[i].name;
	return NULL;
}

static const char *base_of(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	return slash ? slash + 1 : file;
}

/* How gcc got to a file it was given is not known: its base name is in it in any case. */
static bool is_file_free(const struct exclusion *exclusion, const char *base)
{
	if (!base || !*base || strpbrk(base, ",\\' "))
		return false;
	for (size_t i = exclusion->chosen_count; i < exclusion->count; i++)
		if (!exclusion->list[i].file || strstr(exclusion->list[i].file, base))
			return false;
	return true;
}

void exclude_find_word(struct exclusion *exclusion, struct candidate *one)
{
	struct strbuf reason = {0};
	const char *word = NULL, *other = NULL, *base = base_of(one->file);

	if (one->visible)
		word = copy_of(exclusion, exclude_word, one->visible);
	if (word)
		other = taken_along(exclusion, word);
	if (word && !other) {
		one->word = word;
		return;
	}
	if (is_file_free(exclusion, base)) {
		one->by_file = base;
		return;
	}
	if (other)
		strbuf_printf(&reason, "'%s' is part of the name of %s, which stays",
			      word, other);
	else
		strbuf_puts(&reason, "gcc has no word for such a name");
	one->reason = doc_copy(exclusion->doc, strbuf_text(&reason));
	strbuf_free(&reason);
}
