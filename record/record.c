/* SPDX-License-Identifier: MIT */
/*
 * prof-record: checks a program, runs it under the shim, waits for its run to be
 * written, says so, and ends as the program ended. Runs on: the user's terminal. Must
 * not change the program's output, exit status, signals or children.
 */
#include <limits.h>
#include <stdlib.h>

#include "common/attributes.h"
#include "record/launch.h"
#include "record/one.h"
#include "record/options.h"
#include "record/prepare.h"
#include "record/report.h"
#include "record/series/series.h"

/* Records the program once; the wait status to end with. */
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
	char output[PATH_MAX];
	int status;

	record_options_read(argc, argv, &options);
	status = record_check_target(options.command[0], &target);
	if (status)
		return status;
	if (!record_absolute_output(options.output, output) ||
	    !record_prepare(&options, &target, output))
		return RECORD_CANNOT;
	if (!options.quiet)
		record_say_notes(&target);
	if (options.repeat)
		status = record_series(&options, output, &target);
	else
		status = record_single(&options, output, &target);
	free(options.against);
	record_end_like(status);
}
