/* SPDX-License-Identifier: MIT */
/* Parsing of --from and --to. */
#include "analyzer/reports/engine/range.h"

#include "analyzer/reports/common.h"

#include <stdlib.h>
#include <string.h>

/* Parses "1.5s", "200ms", "30us" or "5ns". -1: not a duration. */
static int64_t duration_of(const char *text)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
	char *end;
	double number = strtod(text, &end);

	if (end == text || !(number >= 0 && number < 9e9))
		return -1;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].name) == 0)
			return (int64_t)(number * units[i].ns);
	return -1;
}

static int64_t read_end(const char *name, const char *text, int64_t otherwise_ns)
{
	int64_t ns = text ? duration_of(text) : otherwise_ns;

	if (ns >= 0)
		return ns;
	command_fail(STATUS_USAGE,
		     "--%s: '%s' is no time since the run began, such as 1.5s or "
		     "200ms",
		     name, text);
}

void range_find(const struct report_options *options, int64_t wall_ns,
		int64_t *ret_from_ns, int64_t *ret_to_ns)
{
	*ret_from_ns = read_end("from", options->from, 0);
	*ret_to_ns = read_end("to", options->to, wall_ns);
	if ((options->from || options->to) && *ret_from_ns >= *ret_to_ns)
		command_fail(STATUS_USAGE,
			     "nothing lies between --from and --to, or the end of "
			     "the run");
}
