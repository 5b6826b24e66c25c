/* SPDX-License-Identifier: MIT */
/* Sums and chains of a profile. Must not trap on damaged numbers. */
#include "analyzer/tree/profile.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/quantities.h"

#include <stdlib.h>
#include <string.h>

const struct profile_metric_facts profile_metrics[PROFILE_METRICS] = {
	[PROFILE_CALLS] = {"calls", "calls", "count"},
	[PROFILE_WALL] = {"time", "wall", "nanoseconds"},
	[PROFILE_CPU] = {"computing", "cpu", "nanoseconds"},
	[PROFILE_READY] = {"CPU wait", "ready", "nanoseconds"},
	[PROFILE_BLOCKED] = {"blocked", "blocked", "nanoseconds"},
	[PROFILE_ALLOCS] = {"allocations", "allocations", "count"},
	[PROFILE_BYTES] = {"bytes allocated", "bytes", "bytes"},
	[PROFILE_LIVE] = {"live at exit", "live", "bytes"},
	[PROFILE_AT_PEAK] = {"live at the peak", "at_peak", "bytes"},
};

struct profile *profile_new(struct calltree *tree)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));
	uint32_t unknown = (uint32_t)tree->function_count;

	calltree_add_function(tree, 0, "?");
	profile->tree = tree;
	profile->outer = calltree_numbers(tree);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct calltree_node *node = &tree->nodes[i];

		if (node->function == CALLTREE_NONE)
			node->function = unknown;
		profile->outer[i] = node->depth > PROFILE_STACK_MOST / 2
					    ? profile->outer[node->parent]
					    : i;
		if (node->depth > profile->depth)
			profile->depth = node->depth;
	}
	return profile;
}

const char *profile_clean(struct profile *profile, const char *text)
{
	ended_by(strbuf_free) struct strbuf cleaned = {0};
	const char *copy;

	if (!text)
		return NULL;
	utf8_clean(&cleaned, text);
	copy = arena_copy(&profile->texts, strbuf_text(&cleaned), cleaned.size);
	return copy;
}

void profile_remark(struct profile *profile, const char *sentence)
{
	profile->remarks = xreallocarray(profile->remarks, profile->remark_count + 1,
					 sizeof(*profile->remarks));
	profile->remarks[profile->remark_count++] =
		arena_copy(&profile->texts, sentence, strlen(sentence));
}

const char *profile_recording(const struct calltree_node *node)
{
	static const char *const words[] = {NULL, NULL, "counted", NULL, "sampled"};

	return node->recording < sizeof(words) / sizeof(words[0]) ? words[node->recording]
								  : NULL;
}

static size_t climb(const struct profile *profile, uint32_t from, size_t most,
		    uint32_t *ret)
{
	size_t count = 0;

	for (; from != PROFILE_NONE && count < most;
	     from = profile->tree->nodes[from].parent)
		ret[count++] = from;
	return count;
}

size_t profile_chain(const struct profile *profile, uint32_t node, uint32_t *chain)
{
	const size_t half = PROFILE_STACK_MOST / 2;

	if (profile->tree->nodes[node].depth <= PROFILE_STACK_MOST)
		return climb(profile, node, PROFILE_STACK_MOST, chain);
	climb(profile, node, half, chain);
	return half + climb(profile, profile->outer[node], half, chain + half);
}

static int compare_samples(const void *left, const void *right)
{
	const struct profile_sample *a = left, *b = right;

	return ORDER_BY_2(a, b, node, lane);
}

static void settle_samples(struct profile *profile)
{
	size_t kept = 0;

	if (profile->sample_count)
		qsort(profile->samples, profile->sample_count, sizeof(*profile->samples),
		      compare_samples);
	for (size_t i = 0; i < profile->sample_count; i++) {
		struct profile_sample *sample = &profile->samples[i];

		if (!kept || compare_samples(&profile->samples[kept - 1], sample) != 0) {
			profile->samples[kept++] = *sample;
			continue;
		}
		for (size_t j = 0; j < PROFILE_METRICS; j++)
			quantity_add(&profile->samples[kept - 1].values[j],
				     sample->values[j]);
	}
	profile->sample_count = kept;
}

void profile_settle(struct profile *profile)
{
	settle_samples(profile);
	memset(profile->sums, 0, sizeof(profile->sums));
	for (size_t i = 0; i < profile->sample_count; i++)
		for (size_t j = 0; j < PROFILE_METRICS; j++)
			quantity_add(&profile->sums[j], profile->samples[i].values[j]);
}
