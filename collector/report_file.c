/* SPDX-License-Identifier: MIT */
/*
 * Names the report's files and runs prof-analyze with a time limit. Runs on:
 * profshim-collect, when the run is stored and nobody waits any longer. Must not show an
 * incomplete report: it gets its name when complete.
 */
#include "collector/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/analyze.h"

#define LONGEST_S 60

static const struct format {
	const char *name, *suffix;
} formats[] = {
	[SEGMENT_REPORT_TEXT] = {"text", "txt"},
	[SEGMENT_REPORT_MD] = {"md", "md"},
	[SEGMENT_REPORT_JSON] = {"json", "json"},
};

/* The output's directory, held open: whoever can write there may change names in it, and
 * paths to it, while we work. */
struct beside {
	int fd;		    /* of the directory */
	const char *output; /* the output's name in it */
	mode_t mode;	    /* readers of the output may read its report */
};

/* 0 or -errno. */
static int open_beside(const char *output, struct beside *ret)
{
	const char *slash = strrchr(output, '/');
	char directory[PATH_MAX];
	struct stat status;

	if (!slash || (size_t)(slash - output) >= sizeof(directory))
		return -EINVAL;
	snprintf(directory, sizeof(directory), "%.*s", (int)(slash - output + 1), output);
	ret->output = slash + 1;
	ret->fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0)
		return -errno;
	ret->mode = 0600;
	if (fstatat(ret->fd, ret->output, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(status.st_mode) && status.st_uid == geteuid())
		ret->mode = status.st_mode & 0666;
	return 0;
}

/* A file that gets its name when it is complete. */
struct new_file {
	int fd;
	char name[NAME_MAX + 1];      /* final name */
	char temporary[NAME_MAX + 1]; /* until then, unpredictable */
};

/* Creates the file that is named after the output: "run.db": "run-report.md"; "out":
 * "out-report.md". 0 or -errno. */
static int new_file(const struct beside *beside, const char *suffix, uint64_t token,
		    struct new_file *ret)
{
	size_t length = strlen(beside->output);

	ret->fd = -1;
	if (length > 3 && strcmp(beside->output + length - 3, ".db") == 0)
		length -= 3;
	if (snprintf(ret->name, sizeof(ret->name), "%.*s-report.%s", (int)length,
		     beside->output, suffix) >= (int)sizeof(ret->name) ||
	    snprintf(ret->temporary, sizeof(ret->temporary), "%.200s.%016" PRIx64,
		     ret->name, token) >= (int)sizeof(ret->temporary))
		return -ENAMETOOLONG;
	ret->fd = openat(beside->fd, ret->temporary,
			 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ret->fd < 0)
		return -errno;
	(void)fchmod(ret->fd, beside->mode);
	return 0;
}

static void drop_file(const struct beside *beside, struct new_file *file)
{
	if (file->fd < 0)
		return;
	unlinkat(beside->fd, file->temporary, 0);
	close(file->fd);
}

/* Gives the file its name, replacing an earlier run's file or link. */
static void keep_file(const struct beside *beside, struct new_file *file,
		      const struct new_file *other)
{
	if (renameat(beside->fd, file->temporary, beside->fd, file->name) < 0)
		unlinkat(beside->fd, file->temporary, 0);
	unlinkat(beside->fd, other->name, 0);
	close(file->fd);
}

/* Runs in the child. The alarm survives the exec and ends what is not done by then.
 * Resets signals that the traced program ignored. */
static void become_analyze(const char *analyze, const struct segment_run *run,
			   int64_t run_id, int report_fd, int error_fd)
{
	const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};
	char id[32];

	snprintf(id, sizeof(id), "%" PRId64, run_id);
	signal(SIGALRM, SIG_DFL);
	dup2(report_fd, STDOUT_FILENO);
	dup2(error_fd, STDERR_FILENO);
	alarm(LONGEST_S);
	execle(analyze, "prof-analyze", "report", "--run", id, "--format",
	       formats[run->report].name, run->output, NULL, environment);
	dprintf(STDERR_FILENO, "%s: %s\n", analyze, strerror(errno));
	_exit(127);
}

/* Returns whether the report was written; errors go to error_fd. */
static bool run_analyze(const struct segment_run *run, int64_t run_id, int report_fd,
			int error_fd)
{
	char analyze[PATH_MAX];
	int status = 0, found;
	pid_t pid;

	found = analyze_find(analyze);
	if (found < 0) {
		if (found == -EPERM)
			dprintf(error_fd,
				"profshim-collect: others could have changed %s\n",
				analyze);
		else
			dprintf(error_fd,
				"profshim-collect: prof-analyze is not beside it\n");
		return false;
	}
	signal(SIGCHLD, SIG_DFL); /* if it were ignored, the status would be lost */
	pid = fork();
	if (pid == 0)
		become_analyze(analyze, run, run_id, report_fd, error_fd);
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

void report_file_write(const struct segment_run *run, int64_t run_id)
{
	struct new_file report = {.fd = -1}, errors = {.fd = -1};
	struct beside beside;

	if (run->report <= SEGMENT_REPORT_NONE || run->report > SEGMENT_REPORT_JSON ||
	    open_beside(run->output, &beside) < 0)
		return;
	/* without room for one there is none for the other */
	if (new_file(&beside, formats[run->report].suffix, run->token, &report) < 0 ||
	    new_file(&beside, "error", run->token, &errors) < 0) {
		drop_file(&beside, &report);
	} else if (run_analyze(run, run_id, report.fd, errors.fd)) {
		keep_file(&beside, &report, &errors);
		drop_file(&beside, &errors);
	} else {
		keep_file(&beside, &errors, &report);
		drop_file(&beside, &report);
	}
	close(beside.fd);
}
