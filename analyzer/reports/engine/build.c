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

static enum exit_status unknown_by(struct report_input *input, const char *words)
{
	const char *wanted = input->options->by, *nearest, *list[MOST_WORDS];
	char *copy = xstrdup(words), *rest = NULL;
	ended_by(strbuf_free) struct strbuf all = {0};
	size_t count = 0;

	for (char *word = strtok_r(copy, " ", &rest); word && count < MOST_WORDS;
	     word = strtok_r(NULL, " ", &rest)) {
		strbuf_printf(&all, "%s%s", count ? ", " : "", word);
		list[count++] = word;
	}
	nearest = nearest_word(wanted, list, count);
	command_fail(STATUS_USAGE, "--by: there is no '%s'%s%s%s %s", wanted,
		     nearest ? "; did you mean '" : "", nearest ? nearest : "",
		     nearest ? "'? All:" : "; there are", strbuf_text(&all));
	free(copy);
	return STATUS_USAGE;
}

enum exit_status engine_check_by(const struct report *report, struct report_input *input)
{
	const char *by = input->options->by;

	return report->by && by && !table_is_listed(report->by, by)
		       ? unknown_by(input, report->by)
		       : STATUS_OK;
}

enum exit_status engine_build(const struct report *report, struct report_input *input,
			      struct doc *doc)
{
	struct run_facts facts = {0};
	enum exit_status status = engine_check_by(report, input);

	if ((report->takes & TAKES_RUN) && !status)
		status = report_open(input, doc, &facts);
	return status ? status : engine_run(report, input, doc, &facts);
}
