/* SPDX-License-Identifier: MIT */
/*
 * prof-analyze as prof-record's child. Must not record prof-analyze: our environment has
 * the shim in it.
 */
#include "record/report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/analyze.h"
#include "record/launch.h"
#include "record/say.h"

static void become_analyze(const char *analyze, const struct record_task *task,
			   int64_t run_id)
{
	const struct record_options *options = task->options;
	char run[32];

	(void)unsetenv("LD_PRELOAD");
	snprintf(run, sizeof(run), "%" PRId64, run_id);
	if (!options->report_file)
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	if (options->report_file)
		execl(analyze, "prof-analyze", "report", "--run", run, "--format",
		      options->report, "--output", options->report_file, task->output,
		      NULL);
	else
		execl(analyze, "prof-analyze", "report", "--run", run, "--format",
		      options->report, task->output, NULL);
	record_say("cannot run %s: %s", analyze, strerror(errno));
	_exit(127);
}

void record_report(const struct record_task *task, const struct record_result *result)
{
	char analyze[PATH_MAX];
	int found;
	pid_t pid;

	if (result->outcome != RECORD_DONE || !result->is_stored) {
		record_say("no report: %s", result->outcome == RECORD_STILL_OPEN
						    ? "the run is not complete yet"
						    : "nothing was recorded");
		return;
	}
	found = analyze_find(analyze);
	if (found < 0) {
		if (found == -EPERM)
			record_say("no report: others could have changed %s", analyze);
		else
			record_say("no report: prof-analyze is not where prof-record is");
		return;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become_analyze(analyze, task, result->stored.run_id);
	if (pid < 0)
		record_say("no report: %s", strerror(errno));
	else if (!analyze_has_written(record_reap(pid)))
		record_say("the report could not be made; try: prof-analyze %s",
			   task->options->output);
}
