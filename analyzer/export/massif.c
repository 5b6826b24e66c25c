/* SPDX-License-Identifier: MIT */
/*
 * Massif's format: live memory over snapshots, of some of them who allocated it, by the
 * allocating line and its callers. Must not write more below a line than 30 callers, or
 * lines below 1 %: they are summed up in one, as massif does.
 */
#include "analyzer/export/export.h"

#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 30
#define PART_LEAST 100 /* of the whole, one part in so many */

/* A stack from the allocating line upwards. */
struct stack {
	const char *file;
	uint32_t line, depth;
	uint32_t functions[LEVELS];
	int64_t bytes;
};

/* Stacks [first, end) have the same beginning. */
struct group {
	size_t first, end;
	int64_t bytes;
};

struct writing {
	FILE *out;
	const struct profile *profile;
	struct stack *stacks;
	int64_t least_bytes;
};

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Of one level; those that end there stand first. */
static int compare_level(const struct stack *a, const struct stack *b, uint32_t level)
{
	int result = order(level < a->depth, level < b->depth);

	if (result || level >= a->depth)
		return result;
	result = order(a->functions[level], b->functions[level]);
	if (result || level)
		return result;
	result = order(a->line, b->line);
	return result ? result : strcmp(a->file, b->file);
}

static int compare_stacks(const void *left, const void *right)
{
	int result = 0;

	for (uint32_t level = 0; level < LEVELS && !result; level++)
		result = compare_level(left, right, level);
	return result;
}

static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	int result = order(b->bytes, a->bytes);

	return result ? result : order((int64_t)a->first, (int64_t)b->first);
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The groups of a level among [first, end), largest first; owned by caller. */
static struct group *group_by(const struct writing *writing, size_t first, size_t end,
			      uint32_t level, size_t *ret_count)
{
	struct group *groups = NULL;
	size_t capacity = 0, count = 0;

	for (size_t i = first; i < end; i++) {
		const struct stack *stack = &writing->stacks[i];

		if (level >= stack->depth)
			continue;
		if (!count || compare_level(&writing->stacks[groups[count - 1].first],
					    stack, level) != 0) {
			groups = xgrow(groups, count, &capacity, sizeof(*groups));
			groups[count++] = (struct group){i, i, 0};
		}
		groups[count - 1].end = i + 1;
		groups[count - 1].bytes = plus(groups[count - 1].bytes, stack->bytes);
	}
	if (count)
		qsort(groups, count, sizeof(*groups), compare_groups);
	*ret_count = count;
	return groups;
}

static void put_frame(const struct writing *writing, const struct stack *stack,
		      uint32_t level)
{
	uint32_t number = stack->functions[level];
	const struct profile_function *function = &writing->profile->functions[number];
	const char *file = level ? function->file : stack->file;
	uint32_t line = level ? function->line : stack->line;

	fprintf(writing->out, " 0x%" PRIX32 ": %s (%s", number + 1, function->name,
		file && *file ? file : "???");
	if (line)
		fprintf(writing->out, ":%" PRIu32, line);
	fputs(")\n", writing->out);
}

/* What is below a line of the tree, which itself has been told up to the number of its
 * children. At most LEVELS deep. */
static void put_below(const struct writing *writing, const struct group *group,
		      uint32_t level)
{
	size_t count, shown = 0;
	struct group *groups = group_by(writing, group->first, group->end, level, &count);
	int64_t rest = 0;

	while (shown < count && groups[shown].bytes >= writing->least_bytes)
		shown++;
	for (size_t i = shown; i < count; i++)
		rest = plus(rest, groups[i].bytes);
	fprintf(writing->out, "n%zu: %" PRId64, shown + (shown < count), group->bytes);
	if (level)
		put_frame(writing, &writing->stacks[group->first], level - 1);
	else
		fputs(" (heap allocation functions) malloc/new/new[], --alloc-fns, "
		      "etc.\n",
		      writing->out);
	for (size_t i = 0; i < shown; i++) {
		fprintf(writing->out, "%*s", (int)level + 1, "");
		put_below(writing, &groups[i], level + 1);
	}
	if (shown < count)
		fprintf(writing->out,
			"%*sn0: %" PRId64
			" in %zu place%s, all below massif's threshold (1.00%%)\n",
			(int)level + 1, "", rest, count - shown,
			count - shown == 1 ? "" : "s");
	free(groups);
}

static void fill(const struct profile *profile, const struct heap_part *part,
		 struct stack *ret)
{
	*ret = (struct stack){.file = part->file ? part->file : "",
			      .line = part->line,
			      .bytes = part->bytes};
	for (uint32_t at = part->node; at != PROFILE_NONE && ret->depth < LEVELS;
	     at = profile->nodes[at].parent)
		ret->functions[ret->depth++] = profile->nodes[at].function;
}

static void put_tree(struct writing *writing, const struct heap_moment *moment)
{
	struct group all = {0, moment->part_count, 0};

	writing->stacks = xcalloc(moment->part_count + 1, sizeof(*writing->stacks));
	for (size_t i = 0; i < moment->part_count; i++) {
		fill(writing->profile, &moment->parts[i], &writing->stacks[i]);
		all.bytes = plus(all.bytes, moment->parts[i].bytes);
	}
	qsort(writing->stacks, moment->part_count, sizeof(*writing->stacks),
	      compare_stacks);
	writing->least_bytes = all.bytes / PART_LEAST;
	put_below(writing, &all, 0);
	free(writing->stacks);
}

static void put_moment(struct writing *writing, const struct heap_course *course,
		       size_t at)
{
	const struct heap_moment *moment = &course->moments[at];

	fprintf(writing->out,
		"#-----------\nsnapshot=%zu\n#-----------\ntime=%" PRId64
		"\nmem_heap_B=%" PRId64 "\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
		"heap_tree=%s\n",
		at, moment->time_ns / 1000000, moment->live_bytes,
		!moment->part_count		    ? "empty"
		: at == heap_course_highest(course) ? "peak"
						    : "detailed");
	if (moment->part_count)
		put_tree(writing, moment);
}

static void write_course(const struct doc *doc, const struct export_context *context)
{
	struct writing writing = {.out = context->out, .profile = doc->profile};

	if (!doc->profile || !doc->heap)
		return;
	fprintf(writing.out, "desc: prof-analyze " PROFSHIM_VERSION " %s",
		doc->profile->title);
	for (size_t i = 0; i < doc->profile->remark_count; i++)
		fprintf(writing.out, " | %s", doc->profile->remarks[i]);
	fprintf(writing.out, "\ncmd: %s\ntime_unit: ms\n",
		doc->profile->command ? doc->profile->command : "?");
	for (size_t i = 0; i < doc->heap->count; i++)
		put_moment(&writing, doc->heap, i);
}

const struct exporter exporter_massif = {
	.name = "massif",
	.summary = "live memory over snapshots, for ms_print and massif-visualizer",
	.takes_profile = true,
	.takes_heap = true,
	.write = write_course,
};
