/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions over functions, carried over to call paths. Must not match a name
 * once for each path: names are few, paths are many.
 */
#include "analyzer/model/filter.h"

#include "common/base/pattern.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int compile(regex_t *regex, const char *pattern, const char *option, char *error,
		   size_t error_size)
{
	const char *refused = pattern_refuse(pattern);
	char reason[128];
	int result;

	if (refused) {
		snprintf(error, error_size, "%s '%s' %s", option, pattern, refused);
		return -EINVAL;
	}
	result = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (result == 0)
		return 0;
	regerror(result, regex, reason, sizeof(reason));
	snprintf(error, error_size, "%s '%s': %s", option, pattern, reason);
	return -EINVAL;
}

int filter_init(struct filter *filter, const char *focus, const char *ignore, char *error,
		size_t error_size)
{
	*filter = (struct filter){0};
	if (focus) {
		if (compile(&filter->focus, focus, "--focus", error, error_size) < 0)
			return -EINVAL;
		filter->has_focus = true;
	}
	if (ignore) {
		if (compile(&filter->ignore, ignore, "--ignore", error, error_size) < 0) {
			filter_free(filter);
			return -EINVAL;
		}
		filter->has_ignore = true;
	}
	return 0;
}

void filter_free(struct filter *filter)
{
	if (filter->has_focus)
		regfree(&filter->focus);
	if (filter->has_ignore)
		regfree(&filter->ignore);
	*filter = (struct filter){0};
}

bool filter_is_active(const struct filter *filter)
{
	return filter->has_focus || filter->has_ignore;
}

static bool matches(const regex_t *regex, const char *name)
{
	return regexec(regex, name, 0, NULL, 0) == 0;
}

bool filter_passes_name(const struct filter *filter, const char *name)
{
	if (filter->has_focus && !matches(&filter->focus, name))
		return false;
	return !filter->has_ignore || !matches(&filter->ignore, name);
}

unsigned char filter_judge(const struct filter *filter, const char *name)
{
	unsigned char verdict = 0;

	if (!filter->has_focus || matches(&filter->focus, name))
		verdict |= FILTER_FOCUSED;
	if (filter->has_ignore && matches(&filter->ignore, name))
		verdict |= FILTER_IGNORED;
	return verdict;
}

bool *filter_paths(const struct filter *filter, const struct calltree *tree,
		   bool with_callers)
{
	unsigned char *functions = xcalloc(tree->function_count, 1);
	unsigned char *verdicts = xcalloc(tree->node_count, 1);
	unsigned char unknown = filter_judge(filter, "?");
	bool *passes = xcalloc(tree->node_count, sizeof(*passes));

	for (size_t i = 0; i < tree->function_count; i++)
		functions[i] = filter_judge(filter, tree->functions[i].name);
	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		const struct calltree_node *node = &tree->nodes[at];

		verdicts[at] = node->function == CALLTREE_NONE
				       ? unknown
				       : functions[node->function];
		if (node->parent != CALLTREE_NONE)
			verdicts[at] |= verdicts[node->parent];
		passes[at] = verdicts[at] == FILTER_FOCUSED;
	}
	for (size_t i = tree->order_count; with_callers && i-- > 0;) {
		uint32_t at = tree->order[i], parent = tree->nodes[at].parent;

		if (passes[at] && parent != CALLTREE_NONE)
			passes[parent] = true;
	}
	free(functions);
	free(verdicts);
	return passes;
}
