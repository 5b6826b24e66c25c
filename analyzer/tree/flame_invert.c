/* SPDX-License-Identifier: MIT */
/*
 * Inverts a flame graph: functions with weight of their own outermost, their callers
 * below. Must not recurse, or follow callers too small to be shown: with all callers of
 * all paths the result would be much larger than its source.
 */
#include "analyzer/tree/flame.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

/* The weight of a path on its way up: at is first the path's box, then its callers. */
struct climber {
	uint32_t path, at, function;
};

/* Climbers that came the same way, and the box they reached. */
struct party {
	size_t first, end;
	uint32_t reached;
};

struct inversion {
	const struct flame *from;
	struct flame *to;
	uint32_t *functions; /* of each box */
	struct climber *climbers;
	struct party *parties;
	size_t climber_count, party_count;
	double least;
};

/* Functions of one name in different files stay different. */
static void number_functions(struct inversion *inversion)
{
	const struct flame *from = inversion->from;
	ended_by(intern_free) struct intern names = {0};
	ended_by(strbuf_free) struct strbuf key = {0};

	inversion->functions = xcalloc(from->count, sizeof(*inversion->functions));
	for (size_t i = 1; i < from->count; i++) {
		const struct flame_box *box = &from->boxes[i];

		strbuf_reset(&key);
		strbuf_printf(&key, "%s\n%s", box->name, box->file ? box->file : "");
		inversion->functions[i] = intern_text(&names, strbuf_text(&key), NULL);
	}
}

static int by_function(const void *left, const void *right)
{
	const struct climber *a = left, *b = right;

	return ORDER_BY_2(a, b, function, path);
}

static void start(struct inversion *inversion)
{
	const struct flame *from = inversion->from;

	inversion->climbers = xcalloc(from->count, sizeof(*inversion->climbers));
	for (uint32_t i = 1; i < from->count; i++)
		if (from->boxes[i].self || from->boxes[i].self_before)
			inversion->climbers[inversion->climber_count++] =
				(struct climber){i, i, inversion->functions[i]};
}

static void push(struct inversion *inversion, size_t first, size_t end, uint32_t reached)
{
	ARRAY_ADD(inversion->parties, inversion->party_count) =
		(struct party){first, end, reached};
}

/* Makes a box for climbers at the same function; those with callers left go on if they
 * weigh enough. */
static void advance(struct inversion *inversion, uint32_t reached, size_t first,
		    size_t end)
{
	const struct flame *from = inversion->from;
	const struct flame_box *like = &from->boxes[inversion->climbers[first].at];
	uint32_t number = (uint32_t)inversion->to->count;
	struct flame_box *box = flame_add(inversion->to, reached, like->name);
	size_t going = first;
	bool goes_on;

	box->file = like->file;
	box->line = like->line;
	box->is_unwound = like->is_unwound;
	box->is_library = like->is_library;
	box->is_folded = like->is_folded;
	box->recording = like->recording;
	for (size_t i = first; i < end; i++) {
		const struct flame_box *path = &from->boxes[inversion->climbers[i].path];

		quantity_add(&box->self, path->self);
		quantity_add(&box->self_before, path->self_before);
		/* stays with this box whether climbers stop here or go on */
		quantity_add(&box->total_error, path->self_error);
		box->presence |= path->presence;
	}
	goes_on = box->self > 0 && (double)box->self >= inversion->least;
	for (size_t i = first; goes_on && i < end; i++) {
		struct climber climber = inversion->climbers[i];
		const struct flame_box *path = &from->boxes[climber.path];

		climber.at = from->boxes[climber.at].parent;
		if (climber.at == FLAME_WHOLE)
			continue;
		/* From now on the boxes below have it. */
		box->self -= path->self;
		box->self_before -= path->self_before;
		climber.function = inversion->functions[climber.at];
		inversion->climbers[going++] = climber;
	}
	if (going > first)
		push(inversion, first, going, number);
}

static void climb(struct inversion *inversion, const struct party *party)
{
	struct climber *climbers = inversion->climbers;
	size_t start_of_group = party->first;

	qsort(climbers + party->first, party->end - party->first, sizeof(*climbers),
	      by_function);
	for (size_t i = party->first + 1; i <= party->end; i++) {
		if (i < party->end &&
		    climbers[i].function == climbers[start_of_group].function)
			continue;
		advance(inversion, party->reached, start_of_group, i);
		start_of_group = i;
	}
}

struct flame *flame_invert(struct flame *flame, double least_percent)
{
	struct inversion inversion = {
		.from = flame, .to = flame_new(flame->metric, flame->is_difference)};

	inversion.least = (double)flame->boxes[FLAME_WHOLE].total * least_percent / 100;
	number_functions(&inversion);
	start(&inversion);
	if (inversion.climber_count)
		push(&inversion, 0, inversion.climber_count, FLAME_WHOLE);
	while (inversion.party_count) {
		struct party party = inversion.parties[--inversion.party_count];

		climb(&inversion, &party);
	}
	free(inversion.functions);
	free(inversion.climbers);
	free(inversion.parties);
	inversion.to->title = flame->title;
	inversion.to->folded_count = flame->folded_count;
	inversion.to->is_library_folded = flame->is_library_folded;
	inversion.to->subject = flame->subject;
	inversion.to->texts = flame->texts;
	inversion.to->tree = flame->tree;
	flame_sum(inversion.to);
	return inversion.to;
}
