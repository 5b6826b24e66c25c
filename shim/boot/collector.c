/* SPDX-License-Identifier: MIT */
/*
 * Starts profshim-collect so that the host cannot notice: not its child, not in its
 * process group or session, with none of its descriptors. Runs on: the constructor of
 * the run's first process. Must not leave anything for the host's wait() to find.
 *
 * Two clones with CLONE_VM|CLONE_VFORK (nothing is copied, we go on when the exec is
 * done). The first has no exit signal, is reaped with __WCLONE and must not exec: that
 * would reset its exit signal to SIGCHLD and the host's wait would see it. The second is
 * its child, orphaned at once, and execs.
 */
#include "shim/boot/boot.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/arrays.h"
#include "common/places.h"
#include "common/segment_control.h"
#include "shim/core/answers.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/image/image.h"

#define STACK_BYTES (64u << 10)

struct launch {
	char *stack;
	char *arguments[3];
	int host_pid;
	unsigned int descriptor_limit;
	int32_t *pid; /* where the collector's goes: it may die before it can tell */
	int failed;   /* errno of the exec, shared through CLONE_VM */
};

/* The host's descriptors go, so that no pipe is held open. Kernels before 5.9 want each
 * one by name. */
static void close_all(const struct launch *launch)
{
	if (SYSCALL(SYS_close_range, 0, ~0u, 0, 0, 0, 0) == 0)
		return;
	for (unsigned int i = 0; i < launch->descriptor_limit; i++)
		SYSCALL(SYS_close, i, 0, 0, 0, 0, 0);
}

/* In the memory of the host: raw system calls only. */
static int second(void *argument)
{
	/* off: PROFSHIM_COLLECTOR may name a script, and the library be preloaded into
	 * everything; its shell would begin a run with a collector of its own. */
	static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C",
						  "PROFSHIM_LEVEL=off", NULL};
	struct launch *launch = argument;
	uint64_t no_signals = 0;
	long host;

	SYSCALL(SYS_setsid, 0, 0, 0, 0, 0, 0);
	close_all(launch);
	SYSCALL(SYS_open, "/dev/null", O_RDWR, 0, 0, 0, 0);
	SYSCALL(SYS_dup, 0, 0, 0, 0, 0, 0);
	SYSCALL(SYS_dup, 0, 0, 0, 0, 0, 0);
	/* descriptor 3: the host, which waits for this exec and so is alive; the
	 * collector could come too late to open it. pidfd_open sets close-on-exec. */
	host = SYSCALL(SYS_pidfd_open, launch->host_pid, 0, 0, 0, 0, 0);
	if (host == 3)
		SYSCALL(SYS_fcntl, 3, F_SETFD, 0, 0, 0, 0);
	else if (host >= 0) /* there is no /dev/null */
		SYSCALL(SYS_dup2, host, 3, 0, 0, 0, 0);
	SYSCALL(SYS_chdir, "/", 0, 0, 0, 0, 0);
	SYSCALL(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, 0, 8, 0, 0);
	*launch->pid = (int32_t)SYSCALL(SYS_getpid, 0, 0, 0, 0, 0, 0);
	launch->failed = (int)-SYSCALL(SYS_execve, launch->arguments[0],
				       launch->arguments, environment, 0, 0, 0);
	SYSCALL(SYS_exit, 127, 0, 0, 0, 0, 0);
	return 0;
}

static int first(void *argument)
{
	struct launch *launch = argument;

	if (clone(second, launch->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, launch) <
	    0)
		launch->failed = EAGAIN;
	SYSCALL(SYS_exit, 0, 0, 0, 0, 0, 0);
	return 0;
}

/* Without links and from the root: the exec comes after a chdir, and LD_PRELOAD may name
 * us as "./libprofshim.so". path has SEGMENT_PATH_MAX bytes. */
static int find_file(const struct config *config, char *path)
{
	static const char *const places[] = {
		"../collector/profshim-collect", /* built tree: shim/ to collector/ */
		"../libexec/profshim/profshim-collect",	   /* PREFIX/lib */
		"../../libexec/profshim/profshim-collect", /* PREFIX/lib/ARCH */
		PROFSHIM_LIBEXEC_DIR "/profshim-collect",
	};
	Dl_info self;

	if (config->collector)
		return realpath(config->collector, path) && access(path, X_OK) == 0
			       ? 0
			       : -ENOENT;
	if (!dladdr((void *)collector_start, &self) || !self.dli_fname)
		return -ENOENT;
	return beside_find(self.dli_fname, places, sizeof(places) / sizeof(places[0]),
			   path, SEGMENT_PATH_MAX);
}

/* A host that adopts orphans would adopt the collector. */
static int host_adopts_orphans(void)
{
	int subreaper = 0;

	prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0, 0, 0);
	return getpid() == 1 || subreaper;
}

static unsigned int descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > 1u << 20)
		return 1u << 20;
	return (unsigned int)limit.rlim_cur;
}

static int launch_detached(struct launch *launch)
{
	char *stacks = process_map(2 * STACK_BYTES, 0);
	sigset_t all, before;
	int pid, status, are_blocked;

	if (!stacks)
		return -ENOMEM;
	launch->stack = stacks + STACK_BYTES;
	sigfillset(&all);
	are_blocked = sigprocmask(SIG_BLOCK, &all, &before) == 0;
	pid = clone(first, stacks + STACK_BYTES, CLONE_VM | CLONE_VFORK, launch);
	if (pid < 0)
		launch->failed = errno;
	else
		while (waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR)
			;
	if (are_blocked)
		sigprocmask(SIG_SETMASK, &before, NULL);
	process_unmap(stacks, 2 * STACK_BYTES);
	return -launch->failed;
}

int collector_start(const struct config *config)
{
	char path[SEGMENT_PATH_MAX], directory[SEGMENT_PATH_MAX];
	struct segment_state *state = process_facts.state;
	struct launch launch = {.arguments = {path, directory, NULL},
				.host_pid = getpid(),
				.descriptor_limit = descriptor_limit(),
				.pid = &state->collector_pid};
	int result;

	if (host_adopts_orphans()) {
		process_note(SEGMENT_NOTE_SUBREAPER);
		return 0;
	}
	if (find_file(config, path) < 0) {
		process_note(SEGMENT_NOTE_NO_COLLECTOR);
		return -ENOENT;
	}
	snprintf(directory, sizeof(directory), "%s", run_directory());
	state->collector_state = SEGMENT_COLLECTOR_STARTING;
	result = launch_detached(&launch);
	if (result < 0) {
		state->collector_state = SEGMENT_COLLECTOR_NONE;
		process_note(SEGMENT_NOTE_NO_COLLECTOR);
	}
	return result;
}

#define PAUSE_US 1000
#define WAIT_TICKS (clock_tenth_of_second() / 100 * SEGMENT_CONTROL_WAIT_MS)

static int list_object(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)size, (void)data;
	if (object_calls(object, OBJECT_HOOK))
		object_note(object);
	return 0;
}

void rules_list_objects(void)
{
	if (selection_asks_for_sources())
		dl_iterate_phdr(list_object, NULL);
}

static uint64_t unanswered_count(void)
{
	const struct segment_array *array = &process->segment->modules;
	const struct segment_module *modules = arrays_entries(process->segment, array);
	struct answer answer;
	uint64_t count = 0;

	for (uint32_t i = 0; i < arrays_count(array); i++)
		count += !answers_find(&modules[i], &answer);
	return count;
}

/* For the collector, which is still there: a little, and not for ever. begin: on the
 * clock. */
static int may_wait(uint64_t begin)
{
	if (clock_now() - begin >= WAIT_TICKS ||
	    __atomic_load_n(&process_facts.state->collector_state, __ATOMIC_RELAXED) ==
		    SEGMENT_COLLECTOR_NONE)
		return 0;
	usleep(PAUSE_US);
	return 1;
}

void rules_wait(void)
{
	uint64_t begin = clock_now(), count;

	if (!selection_asks_for_sources())
		return;
	while ((count = unanswered_count()) && may_wait(begin))
		;
	process_count(SEGMENT_COUNTER_LATE_OBJECTS, count);
}

void outside_wait(void)
{
	const struct segment_control *control = process_facts.control;
	const struct segment_run *run = process_facts.run;
	uint64_t begin = clock_now();

	if (!control || !run->samples_only)
		return;
	while (!__atomic_load_n(&control->outside_has_begun, __ATOMIC_RELAXED) &&
	       may_wait(begin))
		;
}
