/* SPDX-License-Identifier: MIT */
/*
 * Signals while a program runs under prof-record, and between two runs. Must not send the
 * program a signal twice that it would get once.
 *
 * Whoever signals prof-record means the program. So every signal that can be caught is
 * passed on, even those that prof-record was started with ignored or blocked: the program
 * may have chosen otherwise. Exceptions are signals that the program has got or caused
 * itself: those of the terminal to the whole foreground group, those from the program or
 * its descendants, and a SIGCONT that has already continued it.
 *
 * A SIGTSTP, SIGTTIN or SIGTTOU that stops the program also stops prof-record, so that a
 * shell sees the stopped job; one that the program ignores does not. SIGSTOP cannot be
 * passed on, and a program that only it stopped is continued by whoever stopped it.
 *
 * A signal of a process to the whole process group looks like one to prof-record alone:
 * the program gets it directly and once more from here.
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

/* From now on a signal that would end us (SIGINT, SIGQUIT, SIGTERM, SIGHUP, unless
 * ignored before) is reported by record_signal() instead, also while a program runs. The
 * second one that comes while none runs does end us. */
void record_hold_signals(void);

/* The latest such signal; 0: none so far. */
int record_signal(void);

/*
 * Runs the program under the shim and ends as it ended. Must not stand between the
 * program and its terminal.
 */

/* Finds libprofshim.so: beside this program's directory in the built tree, at the
 * installed place relative to it, or at the configured one. As beside_find(); ret:
 * PATH_MAX bytes. */
int record_find_shim(char *ret);

/* Sets LD_PRELOAD (first, then shim unless NULL, then its former value) and PROFSHIM_* in
 * our own environment. first: "" for none. output: absolute. 0 or -errno. */
int record_set_environment(const struct record_options *options, const char *first,
			   const char *shim, const char *output);

/* Sets the label (NULL: none) and level of one run of a series. 0 or -errno. */
int record_set_run(const char *label, const char *level);

/*
 * Starts the program in our process group, passes signals on to it until it ends, and
 * leaves it a zombie, so that its status stays readable and its PID unused. input,
 * output: its standard input and output, -1: ours. samples_only: records nothing else. 0,
 * or -errno of the fork or exec. *ret_pid: the zombie.
 */
int record_run(char **command, int input, int output, bool samples_only, pid_t *ret_pid);

/* Reaps the program; returns its wait status. */
int record_reap(pid_t pid);

/* Ends this process like the status says: with the same exit status or signal (without a
 * core file). */
void record_end_like(int status) __attribute__((noreturn));
