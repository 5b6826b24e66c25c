/* SPDX-License-Identifier: MIT */
/*
 * Finds functions that the user names: for limits of the gate, and for --rename OLD=NEW,
 * which joins one that is gone and a new one. Must not choose one of several.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/options.h"
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/statistics/match.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_NAMES 5

/* Whether the text is a function's whole name, linkage name, or name without
 * parameters. */
static bool compare_is_called(const char *wanted, const char *name, const char *full_name,
			      const char *linkage_name)
{
	size_t size = strlen(wanted);

	if (linkage_name && strcmp(linkage_name, wanted) == 0)
		return true;
	if (strcmp(full_name, wanted) == 0)
		return true;
	return strncmp(name, wanted, size) == 0 && (!name[size] || name[size] == '(');
}

/* Matches the current name, or else the one before --rename. */
static bool is_meant(const struct compare_function *function, const char *name,
		     bool by_old_name)
{
	if (!by_old_name)
		return compare_is_called(name, function->name, function->full_name,
					 function->linkage_name);
	return function->name_before &&
	       compare_is_called(name, function->name_before, function->full_before,
				 function->linkage_before);
}

static enum exit_status unknown_function(struct compare_state *state,
					 const struct gate_limit *limit)
{
	const struct comparison *comparison = &state->comparison;
	ended_by(strbuf_free) struct strbuf near = {0};
	size_t count = 0;

	for (size_t i = 0; i < comparison->function_values.count; i++) {
		const char *name = comparison->functions[i].name;
		bool is_near = strstr(name, limit->function) ||
			       nearest_distance(limit->function, name) <= 2;

		if (!comparison->functions[i].presence || !is_near)
			continue;
		if (count++ < LISTED_NAMES)
			strbuf_printf(&near, "%s%s", count > 1 ? ", " : "", name);
	}
	if (count > LISTED_NAMES)
		strbuf_printf(&near, " and %zu more", count - LISTED_NAMES);
	command_fail(STATUS_USAGE, "--gate: '%s': no run has a function '%s'%s%s",
		     limit->text, limit->function, near.size ? "; near: " : "",
		     strbuf_text(&near));
	return STATUS_USAGE;
}

static _Noreturn void ambiguous(const struct gate_limit *limit, const char *first,
				const char *second)
{
	command_fail(STATUS_USAGE,
		     "--gate: '%s' means several functions (%s, %s); write the "
		     "whole name or the linkage name",
		     limit->text, first, second);
}

enum exit_status compare_find_function(struct compare_state *state,
				       const struct gate_limit *limit,
				       uint32_t *ret_number)
{
	const struct comparison *comparison = &state->comparison;
	const struct compare_function *found = NULL;

	for (int old = 0; old <= 1 && !found; old++)
		for (uint32_t i = 0; i < comparison->function_values.count; i++) {
			const struct compare_function *function =
				&comparison->functions[i];

			if (!function->presence ||
			    !is_meant(function, limit->function, old))
				continue;
			if (found)
				ambiguous(limit, found->name, function->name);
			found = function;
			*ret_number = i;
		}
	return found ? STATUS_OK : unknown_function(state, limit);
}

/* Finds the only function of this name that is on this side and not on the other. */
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
			command_fail(STATUS_USAGE,
				     "--rename: '%s': '%s' means several functions "
				     "(%s, %s); write the linkage name",
				     option, name, comparison->functions[*ret].name,
				     function->name);
		*ret = i;
	}
	if (*ret == COMPARE_NONE)
		command_fail(STATUS_USAGE, "--rename: '%s': there is no function '%s' %s",
			     option, name, words[side]);
	return STATUS_OK;
}

static enum exit_status rename_one(struct compare_state *state, const char *option)
{
	const char *equals = strchr(option, '=');
	uint32_t before = COMPARE_NONE, after = COMPARE_NONE;
	enum exit_status status;
	char *old;

	if (!equals || equals == option || !equals[1])
		command_fail(STATUS_USAGE,
			     "--rename: '%s' is not OLD=NEW, two names of functions",
			     option);
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
