/* SPDX-License-Identifier: MIT */
/*
 * What this is:  names of the report's files, and prof-analyze run with a limit of time.
 * Runs on:       profshim-collect, when the run is stored and nobody waits any longer.
 * Must not:      show a report that is not whole: it gets its name when it is.
 * See also:      shim/collector/report_file.h
 */
#include "shim/collector/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/collector/analyze.h"

#define LONGEST_S 60

static const struct format {
	const char *name, *suffix;
} formats[] = {
	[SEGMENT_REPORT_TEXT] = {"text", "txt"},
	[SEGMENT_REPORT_MD] = {"md", "md"},
	[SEGMENT_REPORT_JSON] = {"json", "json"},
};

/* "/dir/run.db": "/dir/run-report.md"; "/dir/out": "/dir/out-report.md". */
static bool name_beside(const char *output, const char *suffix, char *ret)
{
	size_t length = strlen(output);
	int written;

	if (length > 3 && strcmp(output + length - 3, ".db") == 0)
		length -= 3;
	written = snprintf(ret, PATH_MAX, "%.*s-report.%s", (int)length, output, suffix);
	return written > 0 && written < PATH_MAX;
}

/* In the child. The alarm stays over the exec and ends what is not done by then; what the
 * traced program ignored may be ignored here still. */
static void become_analyze(const char *analyze, const struct segment_run *page,
			   int64_t run_id, const char *format, const char *target,
			   int error_fd)
{
	const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};
	char run[32];

	snprintf(run, sizeof(run), "%" PRId64, run_id);
	signal(SIGALRM, SIG_DFL);
	dup2(error_fd, STDERR_FILENO);
	alarm(LONGEST_S);
	execle(analyze, "prof-analyze", "report", "--run", run, "--format", format,
	       "--output", target, page->output, NULL, environment);
	dprintf(STDERR_FILENO, "%s: %s\n", analyze, strerror(errno));
	_exit(127);
}

/* Returns whether target has been written; what went wrong is told to error_fd. */
static bool run_analyze(const struct segment_run *page, int64_t run_id,
			const char *format, const char *target, int error_fd)
{
	char analyze[PATH_MAX];
	int status = 0;
	pid_t pid;

	if (analyze_find(analyze) < 0) {
		dprintf(error_fd, "profshim-collect: prof-analyze is not beside it\n");
		return false;
	}
	signal(SIGCHLD, SIG_DFL); /* ignored, it would take the status away */
	pid = fork();
	if (pid == 0)
		become_analyze(analyze, page, run_id, format, target, error_fd);
	if (pid < 0) {
		dprintf(error_fd, "profshim-collect: cannot fork: %s\n", strerror(errno));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		dprintf(error_fd, "profshim-collect: prof-analyze was ended by %s\n",
			WTERMSIG(status) == SIGALRM ? "us: it took more than a minute"
						    : strsignal(WTERMSIG(status)));
	return analyze_has_written(status);
}

/* Takes the place of what an earlier run left. */
static void replace(const char *from, const char *to, const char *other)
{
	if (rename(from, to) < 0)
		unlink(from);
	unlink(other);
}

void report_file_write(const struct segment_run *page, int64_t run_id)
{
	char report[PATH_MAX], errors[PATH_MAX], new_report[PATH_MAX + 32],
		new_errors[PATH_MAX + 32];
	const struct format *format;
	int error_fd;

	if (page->report <= SEGMENT_REPORT_NONE || page->report > SEGMENT_REPORT_JSON)
		return;
	format = &formats[page->report];
	if (!name_beside(page->output, format->suffix, report) ||
	    !name_beside(page->output, "error", errors))
		return;
	snprintf(new_report, sizeof(new_report), "%s.%016" PRIx64, report, page->token);
	snprintf(new_errors, sizeof(new_errors), "%s.%016" PRIx64, errors, page->token);
	error_fd = open(new_errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (error_fd < 0) /* then there is no room for a report either */
		return;
	if (run_analyze(page, run_id, format->name, new_report, error_fd)) {
		replace(new_report, report, errors);
		unlink(new_errors);
	} else {
		replace(new_errors, errors, report);
		unlink(new_report);
	}
	close(error_fd);
}
