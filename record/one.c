/* SPDX-License-Identifier: MIT */
/*
 * Runs a program, waits for its run to be written, and says so. Must not end
 * prof-record.
 */
#include "record/one.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/launch.h"
#include "record/prepare.h"
#include "record/say.h"

int record_one(const struct record_task *task, struct record_result *ret)
{
	const struct record_options *options = task->options;
	struct record_before before;
	int64_t last_run = record_last_run(task->output);
	pid_t program;
	int result = record_before_read(task->output, &before);

	ret->error[0] = '\0';
	if (result < 0) {
		record_say("cannot read %s-spool: %s", options->output,
			   strerror(-result));
		return RECORD_CANNOT;
	}
	result = record_run(task->command, task->stdin_fd, task->stdout_fd, &program);
	if (result < 0) {
		record_say("cannot run %s: %s", task->command[0], strerror(-result));
		record_before_done(&before);
		return result == -ENOENT ? RECORD_NOT_FOUND : RECORD_NOT_EXECUTABLE;
	}
	ret->outcome = record_finish(task->output, &before, program, options->wait_s,
				     !options->quiet && isatty(STDERR_FILENO), ret->error,
				     sizeof(ret->error));
	ret->wait_status = record_reap(program);
	record_before_done(&before);
	ret->is_stored = ret->outcome == RECORD_DONE &&
			 record_summary(task->output, options->output, last_run, program,
					&ret->stored);
	return 0;
}

void record_say_result(const struct record_task *task, const struct record_result *result,
		       const char *prefix)
{
	const struct record_options *options = task->options;
	const char *hint = options->repeat ? NULL : "; read it with: prof-analyze ";

	if (result->outcome == RECORD_FAILED) {
		record_say("the run could not be written: %s; it stays in %s-spool, try: "
			   "prof-analyze %s",
			   result->error, options->output, options->output);
		return;
	}
	if (options->quiet)
		return;
	if (result->outcome == RECORD_STILL_OPEN)
		record_say("the run is not complete yet; prof-analyze %s waits for it",
			   options->output);
	else if (result->is_stored)
		record_say("%s%s%s%s", prefix, result->stored.line, hint ? hint : "",
			   hint ? options->output : "");
	else if (!record_why_nothing(task->target) &&
		 !(options->level && strcmp(options->level, "off") == 0))
		record_say("nothing was recorded; try: prof-analyze doctor %s",
			   task->target->path);
}
