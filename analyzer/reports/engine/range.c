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

static enum exit_status read_end(struct report_input *input, const char *name,
				 const char *text, int64_t *ret_ns)
{
	if (!text)
		return STATUS_OK;
	*ret_ns = duration_of(text);
	if (*ret_ns >= 0)
		return STATUS_OK;
	return report_fail(input, STATUS_USAGE,
			   "--%s: '%s' is no time since the run began, such as 1.5s or "
			   "200ms",
			   name, text);
}

enum exit_status range_find(struct report_input *input, int64_t wall_ns,
			    int64_t *ret_from_ns, int64_t *ret_to_ns)
{
	enum exit_status status;

	*ret_from_ns = 0;
	*ret_to_ns = wall_ns;
	status = read_end(input, "from", input->options->from, ret_from_ns);
	if (status == STATUS_OK)
		status = read_end(input, "to", input->options->to, ret_to_ns);
	if (status == STATUS_OK && (input->options->from || input->options->to) &&
	    *ret_from_ns >= *ret_to_ns)
		return report_fail(input, STATUS_USAGE,
				   "nothing lies between --from and --to, or the end of "
				   "the run");
	return status;
}
