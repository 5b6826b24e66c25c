/* SPDX-License-Identifier: MIT */
/*
 * Running the program under the shim, and ending as it ended. Must not stand between the
 * program and its terminal.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "record/options.h"

/* Finds libprofshim.so: beside this program's directory in the built tree, at the
 * installed place relative to it, or at the configured one. As beside_find(); ret:
 * PATH_MAX bytes. */
int record_find_shim(char *ret);

/* Sets LD_PRELOAD (shim first, then what was there; unless shim is NULL) and PROFSHIM_*
 * in our own environment. output: absolute. 0 or -errno. */
int record_set_environment(const struct record_options *options, const char *shim,
			   const char *output);

/* For one run of a series: its label (NULL: none) and level. 0 or -errno. */
int record_set_run(const char *label, const char *level);

/*
 * Starts the program in our process group, waits until it has ended and leaves it a
 * zombie, so that its status can still be read and its PID is not used again. Meanwhile
 * signals are passed on to it (signals.h). input, output: its standard input and
 * output, -1: ours.
 * 0, or -errno of the fork or exec. *ret_pid: the zombie.
 */
int record_run(char **command, int input, int output, pid_t *ret_pid);

/* Reaps the program; its wait status. */
int record_reap(pid_t pid);

/* Ends this process the way the status says: the same exit status or the same signal
 * (without a core file). */
void record_end_like(int status) __attribute__((noreturn));
