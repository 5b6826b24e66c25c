/* SPDX-License-Identifier: MIT */
/* What the wall time of a program with threads was made of. */
#include "analyzer/reports/critical/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"

static enum exit_status show(struct report_input *input, const struct critical *critical,
			     struct doc *doc)
{
	enum exit_status status;

	critical_show_sums(critical, doc);
	status = critical_show_paths(input, critical, doc);
	if (status == STATUS_OK)
		critical_show_threads(input, critical, doc);
	return status;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	struct critical critical;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	if (run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	status = critical_load(input, &critical);
	if (status == STATUS_OK)
		status = show(input, &critical, doc);
	critical_done(&critical);
	if (status != STATUS_NOTHING)
		return status;
	doc_note(doc, "one_thread", NOTE_PLAIN,
		 "No process of the run has had several threads: each waited for nobody "
		 "of its own, and all that its one thread did was on its critical path.",
		 "See `functions` and `tree` for where the time went.");
	return STATUS_OK;
}

const struct report report_critical = {
	.name = "critical",
	.summary = "with threads: what the run's wall time was made of",
	.description =
		"The critical path: from the end of the run back to its start, on one "
		"thread at a time. Where that thread had waited for another one (a lock, "
		"a "
		"condition variable, a semaphore, a barrier, the end of a thread, a "
		"signal, a pipe), it "
		"goes on with the one that was waited for. What lies beside it, nobody "
		"waited for. of run is the share of a function on its call path itself, "
		"as near as can be told: a thread's time on the critical path is divided "
		"as all its work is, and where it had a lock as those saw it who waited. "
		"at most is the bound: with this path's self time gone, the run would be "
		"at "
		"most so much shorter. with callees is that bound for the path with all "
		"that it called. Waits for files, sockets, sleeps, other processes and "
		"what is not recorded stay with the call that waited. Of a run with "
		"several such processes the longest is shown. "
		"--focus and --ignore choose by names; --sort takes any json column.",
	.example = "prof-analyze critical run.db --limit 5",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER,
	.build = build,
};
