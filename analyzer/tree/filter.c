/* SPDX-License-Identifier: MIT */
/* Applies regular expressions to functions, then carries the result over to call paths.
 * Must not match a name for each path: names are few, paths are many. */
#include "analyzer/tree/filter.h"

#include "common/base/options.h"
#include "common/base/xalloc.h"
#include "analyzer/model/meant.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void compile(struct filter_side *side, const char *text, const char *option)
{
	const char *refused = text ? pattern_refuse(text) : NULL;
	char reason[96];
	int result;

	side->text = text;
	if (!text)
		return;
	if (refused) {
		snprintf(side->trouble, sizeof(side->trouble), "%s '%.160s' %s", option,
			 text, refused);
		return;
	}
	result = regcomp(&side->regex, text, REG_EXTENDED | REG_NOSUB);
	side->has_regex = result == 0;
	if (result == 0)
		return;
	regerror(result, &side->regex, reason, sizeof(reason));
	snprintf(side->trouble, sizeof(side->trouble), "%s '%.160s': %s", option, text,
		 reason);
}

void filter_init(struct filter *filter, const char *focus, const char *ignore)
{
	*filter = (struct filter){0};
	compile(&filter->focus, focus, "--focus");
	compile(&filter->ignore, ignore, "--ignore");
}

bool filter_is_active(const struct filter *filter)
{
	return filter->focus.text || filter->ignore.text;
}

static bool matches(const struct filter_side *side, const char *name)
{
	if (side->names.count && intern_find(&side->names, name) != INTERN_NONE)
		return true;
	return side->has_regex && regexec(&side->regex, name, 0, NULL, 0) == 0;
}

static void learn(struct filter_side *side, const char *name, const char *full_name,
		  const char *linkage_name)
{
	if (!side->text)
		return;
	if (meant_judge(side->text, name, full_name, linkage_name) <= MEANT_SHORTENED)
		intern_text(&side->names, name, NULL);
	side->matches_some = side->matches_some || matches(side, name);
}

void filter_learn(struct filter *filter, const char *name, const char *full_name,
		  const char *linkage_name)
{
	learn(&filter->focus, name, full_name, linkage_name);
	learn(&filter->ignore, name, full_name, linkage_name);
}

void filter_found(struct filter *filter)
{
	filter->focus.matches_some = filter->ignore.matches_some = true;
}

static int check(const struct filter_side *side, char *error, size_t error_size)
{
	if (!side->text || side->has_regex || side->names.count)
		return 0;
	snprintf(error, error_size, "%s", side->trouble);
	return -EINVAL;
}

int filter_check(const struct filter *filter, char *error, size_t error_size)
{
	return check(&filter->focus, error, error_size) < 0 ||
			       check(&filter->ignore, error, error_size) < 0
		       ? -EINVAL
		       : 0;
}

bool filter_passes_name(const struct filter *filter, const char *name)
{
	if (filter->focus.text && !matches(&filter->focus, name))
		return false;
	return !filter->ignore.text || !matches(&filter->ignore, name);
}

unsigned char filter_judge(const struct filter *filter, const char *name)
{
	unsigned char verdict = 0;

	if (!filter->focus.text || matches(&filter->focus, name))
		verdict |= FILTER_FOCUSED;
	if (filter->ignore.text && matches(&filter->ignore, name))
		verdict |= FILTER_IGNORED;
	return verdict;
}

bool *filter_paths(const struct filter *filter, const struct calltree *tree,
		   bool with_callers)
{
	auto_free unsigned char *functions = xcalloc(tree->function_count, 1);
	auto_free unsigned char *verdicts = xcalloc(tree->node_count, 1);
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
	return passes;
}
