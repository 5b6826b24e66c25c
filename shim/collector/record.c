/* SPDX-License-Identifier: MIT */
/*
 * What this is:  prof-record: checks a program, runs it under the shim, waits for its run
 *                to be written, says so, and ends as the program ended.
 * Runs on:       the user's terminal.
 * Must not:      change the program's output, exit status, signals or children.
 * See also:      record_launch.h, record_finish.h, target.h
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/collector/record_finish.h"
#include "shim/collector/record_launch.h"
#include "shim/collector/record_options.h"
#include "shim/collector/record_summary.h"
#include "shim/collector/target.h"

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("prof-record: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

/* The output's path made absolute; false: said why not. */
static bool absolute_output(const char *output, char *ret)
{
	char cwd[PATH_MAX];
	int length;

	if (output[0] == '/') {
		length = snprintf(ret, PATH_MAX, "%s", output);
	} else if (!getcwd(cwd, sizeof(cwd))) {
		say("cannot tell the current directory: %s; give -o an absolute path",
		    strerror(errno));
		return false;
	} else {
		length = snprintf(ret, PATH_MAX, "%s/%s", cwd, output);
	}
	if (length < PATH_MAX - 64) /* room for the names in the spool */
		return true;
	say("the path of %s is too long", output);
	return false;
}

/* Why not a single event of the program can be recorded; NULL: it can. */
static const char *why_nothing(const struct target_report *target)
{
	if (!target->is_elf)
		return NULL;
	if (!target->machine_ok)
		return "is not a 64-bit x86 program";
	if (target->is_static)
		return "is statically linked, so no library can be loaded into it; link "
		       "it "
		       "dynamically";
	if (target->is_other_libc)
		return "does not use glibc, which the recorder needs";
	if (target->is_privileged)
		return "runs with more rights than you have (setuid, setgid or "
		       "capabilities), so the system ignores the recorder; run it as its "
		       "owner";
	return NULL;
}

/* Notes about a program that can run. One each, most important first. */
static void say_notes(const struct target_report *target)
{
	const char *file = target->is_script ? target->interpreter : target->path;
	const char *nothing = why_nothing(target);

	if (nothing) {
		say("nothing can be recorded of %s: it %s", file, nothing);
		return;
	}
	if (!target->is_elf)
		return;
	if (target->defines_hooks)
		say("%s has its own __cyg_profile_func_enter: its calls go there, only "
		    "allocations are recorded",
		    file);
	else if (!target->has_hooks)
		say("%s and the libraries it links were compiled without "
		    "-finstrument-functions: only allocations are recorded",
		    file);
	if (target->defines_malloc)
		say("%s brings its own malloc: its allocations are not recorded", file);
}

/* Examines the program; the exit status when it cannot be run, 0 when it can. */
static int check_target(const char *program, struct target_report *target)
{
	int error = target_examine(program, target);

	if (error == -ENOENT && target->interpreter[0])
		say("%s cannot run: its interpreter %s was not found", program,
		    target->interpreter);
	else if (error == -ENOENT)
		say("%s was not found%s", program,
		    strchr(program, '/') ? "" : " in PATH; a program here is ./name");
	if (error == -ENOENT)
		return RECORD_NOT_FOUND;
	if (access(target->path, X_OK) == 0 && error != -EACCES)
		return 0;
	say("%s cannot be executed: it is a directory or lacks the permission",
	    target->path);
	return RECORD_NOT_EXECUTABLE;
}

/* Finds the shim and prepares the environment; false: said why not. */
static bool prepare(const struct record_options *options,
		    const struct target_report *target, const char *output)
{
	bool preload = !target->is_elf || (target->machine_ok && !target->is_other_libc);
	char shim[PATH_MAX], error[PATH_MAX + 256];
	int result;

	if (!record_output_fits(output, error, sizeof(error))) {
		say("%s", error);
		return false;
	}
	if (record_find_shim(shim) < 0) {
		say("libprofshim.so is missing (looked for it at %s last): install "
		    "profshim "
		    "again",
		    shim);
		return false;
	}
	if (strpbrk(shim, " :")) {
		say("%s cannot be preloaded because of the space or colon in its path: "
		    "install profshim elsewhere",
		    shim);
		return false;
	}
	result = record_set_environment(options, preload ? shim : NULL, output);
	if (result < 0)
		say("cannot set the environment: %s", strerror(-result));
	return result == 0;
}

static void report(const struct record_options *options, const char *output,
		   const struct target_report *target, int64_t last_run,
		   enum record_outcome outcome, pid_t program, const char *error)
{
	char line[PATH_MAX + 256];

	if (outcome == RECORD_FAILED) {
		say("the run could not be written: %s; it stays in %s-spool, try: "
		    "prof-analyze %s",
		    error, options->output, options->output);
		return;
	}
	if (options->quiet)
		return;
	if (outcome == RECORD_STILL_OPEN)
		say("the run is not complete yet; prof-analyze %s waits for it",
		    options->output);
	else if (record_summary(output, options->output, last_run, program, line,
				sizeof(line)))
		say("%s; read it with: prof-analyze %s", line, options->output);
	else if (!why_nothing(target) &&
		 !(options->level && strcmp(options->level, "off") == 0))
		say("nothing was recorded; try: prof-analyze doctor %s", target->path);
}

/* Runs the program and everything that comes after; its wait status in *ret_status.
 * Returns 0, or our own exit status when it could not be started. */
static int record(const struct record_options *options, const char *output,
		  const struct target_report *target, int *ret_status)
{
	char error[PATH_MAX + 256] = "";
	struct record_before before;
	enum record_outcome outcome;
	int64_t last_run = record_last_run(output);
	pid_t program;
	int result = record_before_read(output, &before);

	if (result < 0) {
		say("cannot read %s-spool: %s", options->output, strerror(-result));
		return RECORD_CANNOT;
	}
	result = record_run(options->command, &program);
	if (result < 0) {
		say("cannot run %s: %s", options->command[0], strerror(-result));
		record_before_done(&before);
		return result == -ENOENT ? RECORD_NOT_FOUND : RECORD_NOT_EXECUTABLE;
	}
	outcome = record_finish(output, &before, program, options->wait_s,
				!options->quiet && isatty(STDERR_FILENO), error,
				sizeof(error));
	*ret_status = record_reap(program);
	record_before_done(&before);
	report(options, output, target, last_run, outcome, program, error);
	return 0;
}

int main(int argc, char **argv)
{
	struct record_options options;
	struct target_report target;
	char output[PATH_MAX];
	int status, failed;

	if (!record_options_read(argc, argv, &options, &status))
		return status;
	status = check_target(options.command[0], &target);
	if (status)
		return status;
	if (!absolute_output(options.output, output) ||
	    !prepare(&options, &target, output))
		return RECORD_CANNOT;
	if (!options.quiet)
		say_notes(&target);
	failed = record(&options, output, &target, &status);
	if (failed)
		return failed;
	record_end_like(status);
}
