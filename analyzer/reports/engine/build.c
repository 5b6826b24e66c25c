/* SPDX-License-Identifier: MIT */
/* Builds a report from its .sql file, starting with the head about the run. */
#include "analyzer/reports/engine/engine.h"

#include "common/base/options.h"
#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 8 /* words that --by may list */

void engine_check_by(const struct report *report, const struct report_input *input)
{
	const char *by = input->options->by, *list[MOST_WORDS];
	char *rest = NULL;
	size_t count = 0;

	if (!report->by || !by || table_is_listed(report->by, by))
		return;
	for (char *word = strtok_r(xstrdup(report->by), " ", &rest);
	     word && count < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
		list[count++] = word;
	report_unknown(by, list, count, NULL, "--by: there is no '%s'", by);
}

enum exit_status engine_build(const struct report *report, struct report_input *input,
			      struct doc *doc)
{
	engine_check_by(report, input);
	if (report->takes & TAKES_RUN)
		report_open(input, doc);
	return engine_run(report, input, doc);
}
