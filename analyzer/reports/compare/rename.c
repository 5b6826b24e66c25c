/* SPDX-License-Identifier: MIT */
/* --rename OLD=NEW: a function that went away and a new one are one. Must not choose one
 * of several. */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/statistics/match.h"

#include <stdlib.h>
#include <string.h>

/* The only function of this name that is on this side and not on the other. */
static enum exit_status find(struct compare_state *state, const char *option,
			     const char *name, uint8_t side, uint32_t *ret)
{
	static const char *const words[] = {
		[COMPARE_BEFORE] = "that went away", [COMPARE_AFTER] = "that is new"};
	const struct comparison *comparison = &state->comparison;

	*ret = COMPARE_NONE;
	for (uint32_t i = 0; i < comparison->function_values.count; i++) {
		const struct compare_function *function = &comparison->functions[i];

		if (function->presence != side ||
		    !compare_is_called(name, function->name, function->full_name,
				       function->linkage_name))
			continue;
		if (*ret != COMPARE_NONE)
			return report_fail(state->input, STATUS_USAGE,
					   "--rename: '%s': '%s' means several functions "
					   "(%s, %s); write the linkage name",
					   option, name, comparison->functions[*ret].name,
					   function->name);
		*ret = i;
	}
	if (*ret == COMPARE_NONE)
		return report_fail(state->input, STATUS_USAGE,
				   "--rename: '%s': there is no function '%s' %s", option,
				   name, words[side]);
	return STATUS_OK;
}

static enum exit_status rename_one(struct compare_state *state, const char *option)
{
	const char *equals = strchr(option, '=');
	uint32_t before = COMPARE_NONE, after = COMPARE_NONE;
	enum exit_status status;
	char *old;

	if (!equals || equals == option || !equals[1])
		return report_fail(
			state->input, STATUS_USAGE,
			"--rename: '%s' is not OLD=NEW, two names of functions", option);
	old = xstrndup(option, (size_t)(equals - option));
	status = find(state, option, old, COMPARE_BEFORE, &before);
	free(old);
	if (status == STATUS_OK)
		status = find(state, option, equals + 1, COMPARE_AFTER, &after);
	if (status)
		return status;
	match_merge(&state->comparison, before, after);
	state->comparison.functions[before].is_renamed = true;
	return STATUS_OK;
}

enum exit_status compare_rename(struct compare_state *state)
{
	const struct report_options *options = state->input->options;
	enum exit_status status = STATUS_OK;

	for (size_t i = 0; i < options->rename_count && status == STATUS_OK; i++)
		status = rename_one(state, options->renames[i]);
	return status;
}
