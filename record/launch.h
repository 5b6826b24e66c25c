/* SPDX-License-Identifier: MIT */
/*
 * Signals while a program runs under prof-record, and between two runs. Must not give
 * the program a signal twice that it got without us.
 *
 * Whoever signals prof-record means the program, so every signal that can be taken is
 * passed on to it, those that prof-record was started to ignore or with held back, too:
 * the program may have chosen otherwise. Not passed on is what the program has got or
 * made itself: what the terminal sends to the whole foreground group, what comes from the
 * program or its descendants, a SIGCONT that has continued it already.
 *
 * A SIGTSTP, SIGTTIN or SIGTTOU that stops the program stops prof-record with it, so that
 * a shell sees the stopped job; one that it ignores does not. SIGSTOP cannot be passed
 * on, and a program that is stopped by it alone is continued by whoever stopped it.
 *
 * What a process sends to the whole process group cannot be told from what it sends to
 * prof-record: the program gets it directly and once more from here.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "record/options.h"

/* How prof-record was started. */
struct record_signals {
	sigset_t mask;
	struct sigaction child; /* SIGCHLD */
};

/* From now on a signal that would end us (SIGINT, SIGQUIT, SIGTERM, SIGHUP, unless it was
 * ignored before) does not, but is told by record_signal(); while a program runs, too.
 * The second one that comes while none runs does end us. */
void record_hold_signals(void);

/* The latest such signal; 0: none so far. */
int record_signal(void);

/*
 * Running the program under the shim, and ending as it ended. Must not stand between the
 * program and its terminal.
 */

/* Finds libprofshim.so: beside this program's directory in the built tree, at the
 * installed place relative to it, or at the configured one. As beside_find(); ret:
 * PATH_MAX bytes. */
int record_find_shim(char *ret);

/* Sets LD_PRELOAD (first, shim, then what was there; unless shim is NULL) and PROFSHIM_*
 * in our own environment. first: "": none. output: absolute. 0 or -errno. */
int record_set_environment(const struct record_options *options, const char *first,
			   const char *shim, const char *output);

/* For one run of a series: its label (NULL: none) and level. 0 or -errno. */
int record_set_run(const char *label, const char *level);

/*
 * Starts the program in our process group, waits until it has ended and leaves it a
 * zombie, so that its status can still be read and its PID is not used again. Meanwhile
 * signals are passed on to it (launch.h). input, output: its standard input and
 * output, -1: ours. samples_only: nothing else is recorded.
 * 0, or -errno of the fork or exec. *ret_pid: the zombie.
 */
int record_run(char **command, int input, int output, bool samples_only, pid_t *ret_pid);

/* Reaps the program; its wait status. */
int record_reap(pid_t pid);

/* Ends this process the way the status says: the same exit status or the same signal
 * (without a core file). */
void record_end_like(int status) __attribute__((noreturn));
