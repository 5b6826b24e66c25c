/* SPDX-License-Identifier: MIT */
/* Finds a process by PID, or the run being recorded beside a run.db. */
#include "analyzer/live/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/live/attach.h"
#include "collector/processes/liveness.h"
#include "collector/read/facts.h"
#include "collector/store/spool.h"
#include "common/base/command.h"
#include "common/base/xalloc.h"

static int pid_of(const char *word)
{
	struct stat status;
	long pid;

	if (!*word || word[strspn(word, "0123456789")] || strlen(word) > 10)
		return 0;
	pid = strtol(word, NULL, 10);
	if (pid <= 0 || pid > INT32_MAX || stat(word, &status) == 0)
		return 0;
	return (int)pid;
}

/* Opens a run whose directory was checked and is open. */
static int begin(struct source *source, char *error, size_t error_size)
{
	struct segment_run page;
	int result = read_run_page(&source->rundir, &page, error, error_size);

	if (result < 0)
		return result;
	source->token = page.token;
	source->begin_ns = page.start_monotonic_ns;
	source->output = xstrdup(page.output);
	return 0;
}

int source_open_run(struct source *ret, const char *directory, char *error,
		    size_t error_size)
{
	int result;

	*ret = (struct source){.rundir = RUNDIR_NONE};
	result = rundir_open(&ret->rundir, directory, error, error_size);
	if (result < 0)
		return result;
	result = begin(ret, error, error_size);
	if (result < 0)
		source_close(ret);
	return result;
}

static int open_process(struct source *ret, int pid, char *error, size_t error_size)
{
	struct attach_files files;
	int result = attach_open(&files, pid, error, error_size);

	*ret = (struct source){.rundir = RUNDIR_NONE, .pid = pid};
	if (result == 0) {
		ret->rundir.fd = openat(files.directory_fd, ".",
					O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		snprintf(ret->rundir.path, sizeof(ret->rundir.path),
			 "the recording of process %d", pid);
		ret->inner_pid = files.inner_pid;
		ret->start_time = liveness_start_time(pid, 0, UINT64_MAX);
		result = begin(ret, error, error_size);
		if (result == 0 && ret->token != files.token) {
			snprintf(error, error_size,
				 "the recording of process %d is damaged", pid);
			result = -EINVAL;
		}
	}
	attach_close(&files);
	if (result < 0)
		source_close(ret);
	return result;
}

void source_close(struct source *source)
{
	rundir_close(&source->rundir);
	free(source->output);
	*source = (struct source){.rundir = RUNDIR_NONE};
}

bool source_lives(const struct source *source)
{
	return !source->pid || liveness_check(source->pid, source->start_time);
}

static int is_living(const struct spool_run *run)
{
	return run->state == SPOOL_RECORDING || run->state == SPOOL_UNATTENDED;
}

/* If several runs are being recorded into the file, opens the latest. False: there is
 * none; error, if set, says why. */
static bool open_beside(const char *path, struct source *ret, struct strbuf *error)
{
	struct spool_run *runs = NULL;
	const struct spool_run *foreign = NULL;
	char reason[512] = "";
	bool is_there = false;
	size_t count = 0;

	if (spool_list(path, &runs, &count) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		struct source source;

		if (runs[i].state == SPOOL_FOREIGN)
			foreign = &runs[i];
		if (!is_living(&runs[i]) || source_open_run(&source, runs[i].directory,
							    reason, sizeof(reason)) < 0)
			continue;
		if (is_there && source.begin_ns < ret->begin_ns) {
			source_close(&source);
			continue;
		}
		if (is_there)
			source_close(ret);
		*ret = source;
		is_there = true;
	}
	if (!is_there && *reason)
		strbuf_puts(error, reason);
	else if (!is_there && foreign)
		strbuf_printf(error, "what is in %s belongs to %s", foreign->directory,
			      foreign->owner);
	free(runs);
	return is_there;
}

bool source_next(const char *word, const struct source *old, struct source *ret)
{
	struct strbuf error = {0};
	bool is_there = !pid_of(word) && open_beside(word, ret, &error);

	strbuf_free(&error);
	if (is_there && ret->begin_ns <= old->begin_ns) {
		source_close(ret);
		return false;
	}
	return is_there;
}

void source_open(const char *word, struct source *ret)
{
	struct strbuf error = {0};
	int pid = pid_of(word);
	struct stat file;
	char reason[512];

	if (pid && open_process(ret, pid, reason, sizeof(reason)) < 0)
		command_fail(STATUS_FAILED, "%s", reason);
	if (pid || open_beside(word, ret, &error))
		return;
	if (error.size)
		command_fail(STATUS_FAILED, "%s", strbuf_text(&error));
	if (stat(word, &file) < 0)
		command_fail(STATUS_FAILED, "%s: %s", word,
			     errno == ENOENT ? "there is no such file, and nothing is "
					       "being recorded into it"
					     : strerror(errno));
	command_fail(STATUS_NOTHING,
		     "nothing is being recorded into %s now; 'prof-analyze %s' shows "
		     "what is stored",
		     word, word);
}
