/* SPDX-License-Identifier: MIT */
/* Slow calls by their cause. */
#include "analyzer/model/study/groups.h"

#include "common/base/array.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct study_group *left = a, *right = b;

	if (left->difference_ns != right->difference_ns)
		return left->difference_ns < right->difference_ns ? 1 : -1;
	return left->worst > right->worst ? 1 : -1;
}

static size_t find(const struct study_group *groups, size_t count,
		   const struct study_cause *cause)
{
	size_t i = 0;

	while (i < count &&
	       (groups[i].kind != cause->kind || groups[i].path != cause->path))
		i++;
	return i;
}

struct study_group *study_groups(const struct study *study, size_t *ret_count)
{
	struct study_group *groups = NULL;
	size_t count = 0;

	for (size_t i = 0; i < study->call_count; i++) {
		const struct study_cause *cause = &study->calls[i].cause;
		struct study_group *group;
		size_t at;

		if (!study->calls[i].is_slow)
			continue;
		at = find(groups, count, cause);
		if (at == count) {
			groups = array_room(groups, count, sizeof(*groups));
			groups[count++] =
				(struct study_group){cause->kind, cause->path, 0, i, 0};
		}
		group = &groups[at];
		group->count++;
		group->difference_ns += cause->difference_ns;
		if (cause->difference_ns > study->calls[group->worst].cause.difference_ns)
			group->worst = i;
	}
	if (count)
		qsort(groups, count, sizeof(*groups), compare);
	*ret_count = count;
	return groups;
}
