/* SPDX-License-Identifier: MIT */
/* One run of a program: the checks before it and their messages, the run, and the wait
 * for its file. Must not run the program before all checks, or end prof-record. */
#include "record/one.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/store/spool.h"
#include "common/base/xalloc.h"
#include "common/plain_text.h"
#include "common/base/command.h"
#include "record/launch.h"
#include "record/summary.h"

/*
 * Watches the spool after the program has ended, until its run is in the file. Must not
 * take a run away from a collector that just starts, wait longer than asked, or write
 * into run.db (spool_recover() does).
 */

/* The runs in the spool before ours began. */
struct record_before {
	struct spool_run *runs;
	size_t count;
};

#define SHORTEST_STEP_NS 500000ull
#define LONGEST_STEP_NS 50000000ull
#define PROGRESS_AFTER_NS 300000000ull

/* A very short program may end before its collector has taken the lock. */
#define PATIENCE_NS 250000000ull

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* 0 or -errno. */
static int record_before_read(const char *output, struct record_before *ret)
{
	*ret = (struct record_before){NULL, 0};
	return spool_list(output, &ret->runs, &ret->count);
}

static void record_before_done(struct record_before *before)
{
	free(before->runs);
	*before = (struct record_before){NULL, 0};
}

static bool is_new(const struct spool_run *run, const struct record_before *before)
{
	size_t i;

	for (i = 0; i < before->count; i++)
		if (strcmp(run->token, before->runs[i].token) == 0)
			return false;
	return true;
}

/* The run to handle next: the one that the program itself began, else one that began
 * meanwhile (by a child of a program that cannot be recorded itself). */
static const struct spool_run *choose(const struct spool_run *runs, size_t count,
				      const struct record_before *before, pid_t program)
{
	const struct spool_run *other = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		if (runs[i].state == SPOOL_FOREIGN || !is_new(&runs[i], before))
			continue;
		if (runs[i].first_pid == program)
			return &runs[i];
		other = &runs[i];
	}
	return other;
}

static void show(const char *output, uint64_t elapsed_ns)
{
	char name[64];

	fprintf(stderr, "\rprof-record: writing %s ... %" PRIu64 " s",
		plain_text_copy(name, sizeof(name), basename(output)),
		elapsed_ns / 1000000000u);
}

/* Rests an eighth of the time waited so far: cheap, and late by no more than that. */
static void rest(uint64_t elapsed_ns)
{
	uint64_t step_ns = elapsed_ns / 8;
	struct timespec step;

	if (step_ns < SHORTEST_STEP_NS)
		step_ns = SHORTEST_STEP_NS;
	if (step_ns > LONGEST_STEP_NS)
		step_ns = LONGEST_STEP_NS;
	step = (struct timespec){.tv_nsec = (long)step_ns};
	(void)nanosleep(&step, NULL);
}

/* Looks at the spool once. true: *ret is the outcome; false: look again. *alone_since_ns:
 * when the run was first seen without a collector, 0: never. */
static bool look(const char *output, const struct record_before *before, pid_t program,
		 uint64_t *alone_since_ns, enum record_outcome *ret, char *error,
		 size_t error_size)
{
	struct spool_run *runs = NULL;
	const struct spool_run *run;
	size_t count = 0;
	bool decided = true;
	int result = spool_list(output, &runs, &count);

	*ret = RECORD_DONE;
	if (result < 0) {
		snprintf(error, error_size, "cannot read %s-spool: %s", output,
			 strerror(-result));
		*ret = RECORD_FAILED;
		return true;
	}
	run = choose(runs, count, before, program);
	if (!run)
		goto out;
	if (run->state == SPOOL_RECORDING || run->state == SPOOL_FINISHING) {
		*alone_since_ns = 0;
		decided = false;
	} else if (!*alone_since_ns || now_ns() - *alone_since_ns < PATIENCE_NS) {
		*alone_since_ns = *alone_since_ns ? *alone_since_ns : now_ns();
		decided = false;
	} else if (run->state == SPOOL_UNATTENDED) {
		*ret = RECORD_STILL_OPEN;
	} else {
		result = spool_recover(run, output, NULL, error, error_size);
		*alone_since_ns = 0;
		*ret = RECORD_FAILED;
		decided = result < 0 && result != -EAGAIN;
	}
out:
	free(runs);
	return decided;
}

/*
 * Waits until the program's runs that began since `before` have left the spool, at most
 * wait_s seconds, with a progress line on stderr if show_progress. Stores a run without a
 * collector itself. error: one sentence, if RECORD_FAILED.
 */
static enum record_outcome
record_finish(const char *output, const struct record_before *before, pid_t program,
	      unsigned int wait_s, bool show_progress, char *error, size_t error_size)
{
	uint64_t start = now_ns(), alone_since_ns = 0, elapsed_ns;
	enum record_outcome outcome;
	bool shown = false;

	for (;;) {
		if (look(output, before, program, &alone_since_ns, &outcome, error,
			 error_size))
			break;
		elapsed_ns = now_ns() - start;
		outcome = RECORD_STILL_OPEN;
		if (elapsed_ns >= wait_s * 1000000000ull)
			break;
		if (show_progress && elapsed_ns > PROGRESS_AFTER_NS) {
			show(output, elapsed_ns);
			shown = true;
		}
		rest(elapsed_ns);
	}
	if (shown)
		fputs("\r\033[K", stderr);
	return outcome;
}

char *record_absolute_output(const char *output)
{
	char cwd[PATH_MAX], *path;

	if (output[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		command_fail(RECORD_CANNOT,
			     "cannot tell the current directory: %s; give -o an absolute "
			     "path",
			     strerror(errno));
	path = output[0] == '/' ? xstrdup(output) : xasprintf("%s/%s", cwd, output);
	if (strlen(path) >= PATH_MAX - 64) /* room for the names in the spool */
		command_fail(RECORD_CANNOT, "the path of %s is too long", output);
	return path;
}

const char *record_why_nothing(const struct target_report *target)
{
	if (!target->is_elf)
		return NULL;
	if (!target->machine_ok)
		return "is not a 64-bit x86 program";
	if (target->is_own)
		return "is a part of profshim, which does not record itself";
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

void record_say_notes(const struct target_report *target)
{
	const char *file = target->is_script ? target->interpreter : target->path;
	const char *nothing = record_why_nothing(target);

	if (nothing) {
		command_say("cannot record %s: it %s", file, nothing);
		return;
	}
	if (!target->is_elf)
		return;
	if (target->defines_hooks)
		command_say(
			"%s has its own __cyg_profile_func_enter: its calls go there, "
			"only "
			"allocations are recorded",
			file);
	else if (!target->has_hooks)
		command_say(
			"%s and the libraries it links were compiled without "
			"-finstrument-functions: allocations are recorded, and samples "
			"of the CPU time, but no calls",
			file);
	if (target->defines_malloc)
		command_say("%s brings its own malloc: its allocations are not recorded",
			    file);
}

void record_check_target(const char *program, struct target_report *target)
{
	int error = target_examine(program, target);

	if (error == -ENOENT && target->interpreter[0])
		command_fail(RECORD_NOT_FOUND,
			     "%s cannot run: its interpreter %s was not found", program,
			     target->interpreter);
	if (error == -ENOENT)
		command_fail(RECORD_NOT_FOUND, "%s was not found%s", program,
			     strchr(program, '/') ? ""
						  : " in PATH; a program here is ./name");
	if (access(target->path, X_OK) != 0 || error == -EACCES)
		command_fail(RECORD_NOT_EXECUTABLE,
			     "%s cannot be executed: it is a directory or lacks the "
			     "permission",
			     target->path);
}

void record_prepare(const struct record_options *options,
		    const struct target_report *target, const char *output)
{
	bool preload = !target->is_elf || (target->machine_ok && !target->is_other_libc);
	char shim[PATH_MAX];
	int result;

	record_check_output(output);
	result = record_find_shim(shim);
	if (result == -EPERM)
		command_fail(RECORD_CANNOT,
			     "libprofshim.so is not loaded, because others could have "
			     "changed %s: install profshim where only you or root can "
			     "write",
			     shim);
	if (result < 0)
		command_fail(RECORD_CANNOT,
			     "libprofshim.so is missing: install profshim again");
	if (strpbrk(shim, " :"))
		command_fail(RECORD_CANNOT,
			     "%s cannot be preloaded because of the space or colon in "
			     "its path: install profshim elsewhere",
			     shim);
	result = record_set_environment(options, target->first_library,
					preload ? shim : NULL, output);
	if (result < 0)
		command_fail(RECORD_CANNOT, "cannot set the environment: %s",
			     strerror(-result));
}

int record_one(const struct record_task *task, struct record_result *ret)
{
	const struct record_options *options = task->options;
	struct record_before before;
	int64_t last_run = record_last_run(task->output);
	pid_t program;
	int result = record_before_read(task->output, &before);

	ret->error[0] = '\0';
	if (result < 0) {
		command_say("cannot read %s-spool: %s", options->output,
			    strerror(-result));
		return RECORD_CANNOT;
	}
	result = record_run(task->command, task->stdin_fd, task->stdout_fd,
			    task->is_plain, &program);
	if (result < 0) {
		command_say("cannot run %s: %s", task->command[0], strerror(-result));
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
		command_say(
			"the run could not be written: %s; it stays in %s-spool, try: "
			"prof-analyze %s",
			result->error, options->output, options->output);
		return;
	}
	if (options->quiet)
		return;
	if (result->outcome == RECORD_STILL_OPEN)
		command_say("the run is not complete yet; prof-analyze %s waits for it",
			    options->output);
	else if (result->is_stored)
		command_say("%s%s%s%s", prefix, result->stored.line, hint ? hint : "",
			    hint ? options->output : "");
	else if (!record_why_nothing(task->target) &&
		 !(options->level && strcmp(options->level, "off") == 0))
		command_say("nothing was recorded; try: prof-analyze doctor %s",
			    task->target->path);
}
