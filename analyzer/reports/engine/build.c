/* SPDX-License-Identifier: MIT */
/* A report that is an .sql file, from the run's head on. */
#include "analyzer/reports/engine/engine.h"

#include "analyzer/reports/open.h"

enum exit_status engine_build(const struct report *report, struct report_input *input,
			      struct doc *doc)
{
	struct run_facts facts = {0};
	enum exit_status status = STATUS_OK;

	if (report->takes & TAKES_RUN)
		status = report_open(input, doc, &facts);
	return status ? status : engine_run(report, input, doc, &facts);
}
