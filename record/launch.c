/* SPDX-License-Identifier: MIT */
/*
 * Environment, fork, exec and wait of prof-record. Must not change what the program
 * would see without us, the shim apart.
 */
#include "record/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/places/beside.h"
#include "record/signals.h"

int record_find_shim(char *ret)
{
	static const char *const places[] = {
		"../shim/libprofshim.so", /* built tree: record/ to shim/ */
		/* installed, wherever the tree was moved to */
		PROFSHIM_BIN_TO_LIB_DIR "/libprofshim.so",
		PROFSHIM_LIB_DIR "/libprofshim.so",
	};

	return beside_find_for_program(places, sizeof(places) / sizeof(places[0]), ret,
				       PATH_MAX);
}

static int set(const char *name, const char *value)
{
	return value && setenv(name, value, 1) < 0 ? -errno : 0;
}

static int set_preload(const char *shim)
{
	const char *others = getenv("LD_PRELOAD");
	char *list;
	int error;

	if (!others || !*others)
		return set("LD_PRELOAD", shim);
	if (strstr(others, shim))
		return 0;
	if (asprintf(&list, "%s:%s", shim, others) < 0)
		return -ENOMEM;
	error = set("LD_PRELOAD", list);
	free(list);
	return error;
}

int record_set_environment(const struct record_options *options, const char *shim,
			   const char *output)
{
	const char *const settings[][2] = {
		{"PROFSHIM_OUTPUT", output},
		{"PROFSHIM_LABEL", options->label},
		{"PROFSHIM_STACK_DEPTH", options->stack_depth},
		{"PROFSHIM_MAX_PATHS", options->max_paths},
		{"PROFSHIM_FOLLOW", options->follow},
		{"PROFSHIM_LEVEL", options->level},
		{"PROFSHIM_OVERHEAD", options->overhead},
		{"PROFSHIM_ONLY", options->only},
		{"PROFSHIM_SKIP", options->skip},
		{"PROFSHIM_LIBRARY", options->library},
		{"PROFSHIM_FROM", options->from},
		{"PROFSHIM_UNTIL", options->until},
		{"PROFSHIM_WHILE_STEP", options->while_step},
		{"PROFSHIM_WHY", options->why},
		{"PROFSHIM_SPANS", options->spans},
		/* the program need not wait for its collector: we do */
		{"PROFSHIM_WAIT", "0"},
	};
	int error = shim ? set_preload(shim) : 0;
	size_t i;

	for (i = 0; !error && i < sizeof(settings) / sizeof(settings[0]); i++)
		error = set(settings[i][0], settings[i][1]);
	/* else the program would join the run that we ourselves may be a part of */
	(void)unsetenv("PROFSHIM_RUN");
	if (options->repeat) /* it would be made while the next run is measured */
		(void)unsetenv("PROFSHIM_REPORT");
	return error;
}

int record_set_run(const char *label, const char *level)
{
	int error = set("PROFSHIM_LEVEL", level);

	if (!label)
		(void)unsetenv("PROFSHIM_LABEL");
	return error ? error : set("PROFSHIM_LABEL", label);
}

/* dup2() leaves a descriptor that is in its place already to be closed by the exec. */
static bool put(int fd, int place)
{
	if (fd == place)
		return fcntl(fd, F_SETFD, 0) == 0;
	return fd < 0 || dup2(fd, place) >= 0;
}

/* In the child: becomes the program, or tells why not through the pipe. */
static void become(char **command, int input, int output,
		   const struct record_signals *signals, int pipe_end)
{
	ssize_t written;
	int error = 0;

	record_signals_give_back(signals);
	if (!put(input, STDIN_FILENO) || !put(output, STDOUT_FILENO))
		error = errno;
	else
		execvp(command[0], command);
	error = error ? error : errno;
	written = write(pipe_end, &error, sizeof(error));
	(void)written;
	_exit(RECORD_NOT_FOUND);
}

/* The errno of a failed exec, 0 when the pipe was closed by a successful one. */
static int read_error(int pipe_end)
{
	ssize_t got;
	int error = 0;

	do {
		got = read(pipe_end, &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(error) ? error : 0;
}

int record_run(char **command, int input, int output, pid_t *ret_pid)
{
	struct record_signals signals;
	int ends[2], error;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	record_signals_take(&signals);
	pid = fork();
	error = errno;
	if (pid == 0)
		become(command, input, output, &signals, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		error = read_error(ends[0]);
		record_signals_pass_on(pid);
	}
	close(ends[0]);
	record_signals_give_back(&signals);
	if (error && pid > 0)
		(void)record_reap(pid);
	*ret_pid = pid;
	return -error;
}

int record_reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void record_end_like(int status)
{
	const struct rlimit no_core = {0, 0};
	sigset_t only;
	int number;

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	number = WTERMSIG(status);
	fflush(NULL);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	(void)signal(number, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, number);
	(void)raise(number);
	(void)sigprocmask(SIG_UNBLOCK, &only, NULL);
	exit(128 + number); /* a signal that does not end a process by default */
}
