/* SPDX-License-Identifier: MIT */
/* A command in a process of its own. Must not leave it a pipe that nobody reads. */
#include "analyzer/live/watch/react.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/render/findings.h"
#include "analyzer/rules/rule.h"
#include "common/base/strbuf.h"
#include "common/base/utf8.h"

/* The finding as a file that has no name; a descriptor, or -errno. */
static int write_json(const struct findings *findings, size_t index)
{
	json_t *json = finding_as_json(findings, index);
	int file = memfd_create("finding", MFD_CLOEXEC);

	if (file < 0)
		file = -errno;
	else if (json_dumpfd(json, file, JSON_COMPACT) < 0 || write(file, "\n", 1) != 1 ||
		 lseek(file, 0, SEEK_SET) < 0) {
		close(file);
		file = -EIO;
	}
	json_decref(json);
	return file;
}

/* Of the child. Names are the program's: what could steer a terminal is left out. */
static void set(const char *name, const char *value)
{
	struct strbuf clean = {0};

	utf8_clean(&clean, value ? value : "");
	setenv(name, strbuf_text(&clean), 1);
	strbuf_free(&clean);
}

static void set_number(const char *name, double value)
{
	struct strbuf text = {0};

	strbuf_printf(&text, "%g", value);
	setenv(name, strbuf_text(&text), 1);
	strbuf_free(&text);
}

static void set_environment(const struct react *react, const struct finding *finding)
{
	set("PROF_FINDING_ID", finding->rule->id);
	set("PROF_FINDING_RULE", finding->rule->slug);
	set("PROF_FINDING_TITLE", finding->rule->title);
	set("PROF_FINDING_SEVERITY", severity_word(finding->severity));
	set_number("PROF_FINDING_SCORE", finding->score);
	set("PROF_FINDING_NAME", finding_name(finding));
	set("PROF_FINDING_PATH", finding->path);
	set("PROF_FINDING_FILE", finding->file);
	set_number("PROF_FINDING_LINE", finding->line);
	set("PROF_DATABASE", react->output);
	set_number("PROF_PID", react->pid);
}

static void become(const struct react *react, const struct finding *finding, int file)
{
	set_environment(react, finding);
	if (dup2(file, STDIN_FILENO) >= 0)
		execvp(react->words[0], (char *const *)react->words);
}

int react_run(const struct react *react, const struct findings *findings, size_t index)
{
	int file = write_json(findings, index), problem[2], status = 0, error = 0;
	ssize_t size;
	pid_t child;

	if (file < 0)
		return file;
	if (pipe2(problem, O_CLOEXEC) < 0) {
		close(file);
		return -errno;
	}
	child = fork();
	if (child == 0) {
		become(react, &findings->list[index], file);
		error = errno;
		if (write(problem[1], &error, sizeof(error)) < 0)
			_exit(126);
		_exit(127);
	}
	if (child < 0)
		error = errno;
	close(file);
	close(problem[1]);
	/* exec closes it without a word */
	do
		size = child > 0 ? read(problem[0], &error, sizeof(error)) : 0;
	while (size < 0 && errno == EINTR);
	close(problem[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (error)
		return -error;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
