/* SPDX-License-Identifier: MIT */
/*
 * prof-record: checks a program, runs it under the shim, waits until its run is written,
 * says so, has prof-analyze report on it, and ends as the program ended. Runs on: the
 * user's terminal. Must not change the program's output, exit status, signals or
 * children, or record prof-analyze, although our environment has the shim in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/analyze.h"
#include "common/attributes.h"
#include "common/base/command.h"
#include "record/launch.h"
#include "record/one.h"
#include "record/options.h"
#include "record/summary.h"
#include "record/series.h"

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
	command_say("cannot run %s: %s", analyze, strerror(errno));
	_exit(127);
}

/* Has prof-analyze write the run's report to --report-file, or else to standard error.
 * Says why if there is none. */
static void record_report(const struct record_task *task,
			  const struct record_result *result)
{
	char analyze[PATH_MAX];
	int found;
	pid_t pid;

	if (result->outcome != RECORD_DONE || !result->is_stored) {
		command_say("no report: %s", result->outcome == RECORD_STILL_OPEN
						     ? "the run is not complete yet"
						     : "nothing was recorded");
		return;
	}
	found = analyze_find(analyze);
	if (found < 0) {
		if (found == -EPERM)
			command_say("no report: others could have changed %s", analyze);
		else
			command_say(
				"no report: prof-analyze is not where prof-record is");
		return;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become_analyze(analyze, task, result->stored.run_id);
	if (pid < 0)
		command_say("no report: %s", strerror(errno));
	else if (!analyze_has_written(record_reap(pid)))
		command_say("the report could not be made; try: prof-analyze %s",
			    task->options->output);
}

/* Records the program once; returns the wait status to end with. */
static int record_single(const struct record_options *options, const char *output,
			 const struct target_report *target)
{
	struct record_task task = {options, output, options->command, target, -1, -1};
	struct record_result result;
	int failed = record_one(&task, &result);

	if (failed)
		exit(failed);
	record_say_result(&task, &result, "");
	if (options->report)
		record_report(&task, &result);
	return result.wait_status;
}

OWN_PROGRAM_MARK;

int main(int argc, char **argv)
{
	struct record_options options;
	struct target_report target;
	char *output;

	command_keep_memory();
	record_options_read(argc, argv, &options);
	record_check_target(options.command[0], &target);
	output = record_absolute_output(options.output);
	record_prepare(&options, &target, output);
	if (!options.quiet)
		record_say_notes(&target);
	record_end_like(options.repeat ? record_series(&options, output, &target)
				       : record_single(&options, output, &target));
}
