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

static _Noreturn void unknown_function(const struct compare_state *state,
				       const struct gate_limit *limit)
{
	const struct comparison *comparison = &state->comparison;
	struct strbuf near = {0};
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
}

static _Noreturn void ambiguous(const struct gate_limit *limit, const char *first,
				const char *second)
{
	command_fail(STATUS_USAGE,
		     "--gate: '%s' means several functions (%s, %s); write the "
		     "whole name or the linkage name",
		     limit->text, first, second);
}

uint32_t compare_find_function(const struct compare_state *state,
			       const struct gate_limit *limit)
{
	const struct compare_function *functions = state->comparison.functions;
	uint32_t found = COMPARE_NONE;

	for (int old = 0; old <= 1 && found == COMPARE_NONE; old++)
		for (uint32_t i = 0; i < state->comparison.function_values.count; i++) {
			if (!functions[i].presence ||
			    !is_meant(&functions[i], limit->function, old))
				continue;
			if (found != COMPARE_NONE)
				ambiguous(limit, functions[found].name,
					  functions[i].name);
			found = i;
		}
	if (found == COMPARE_NONE)
		unknown_function(state, limit);
	return found;
}

/* Finds the only function of this name that is on this side and not on the other. */
static uint32_t find(const struct compare_state *state, const char *option,
		     const char *name, uint8_t side)
{
	static const char *const words[] = {
		[COMPARE_BEFORE] = "that went away", [COMPARE_AFTER] = "that is new"};
	const struct comparison *comparison = &state->comparison;
	uint32_t ret = COMPARE_NONE;

	for (uint32_t i = 0; i < comparison->function_values.count; i++) {
		const struct compare_function *function = &comparison->functions[i];

		if (function->presence != side ||
		    !compare_is_called(name, function->name, function->full_name,
				       function->linkage_name))
			continue;
		if (ret != COMPARE_NONE)
			command_fail(STATUS_USAGE,
				     "--rename: '%s': '%s' means several functions "
				     "(%s, %s); write the linkage name",
				     option, name, comparison->functions[ret].name,
				     function->name);
		ret = i;
	}
	if (ret == COMPARE_NONE)
		command_fail(STATUS_USAGE, "--rename: '%s': there is no function '%s' %s",
			     option, name, words[side]);
	return ret;
}

static void rename_one(struct compare_state *state, const char *option)
{
	const char *equals = strchr(option, '=');
	uint32_t before, after;

	if (!equals || equals == option || !equals[1])
		command_fail(STATUS_USAGE,
			     "--rename: '%s' is not OLD=NEW, two names of functions",
			     option);
	before = find(state, option, xstrndup(option, (size_t)(equals - option)),
		      COMPARE_BEFORE);
	after = find(state, option, equals + 1, COMPARE_AFTER);
	match_merge(&state->comparison, before, after);
	state->comparison.functions[before].is_renamed = true;
}

void compare_rename(struct compare_state *state)
{
	const struct report_options *options = state->input->options;

	for (size_t i = 0; i < options->rename_count; i++)
		rename_one(state, options->renames[i]);
}
