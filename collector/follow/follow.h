/* SPDX-License-Identifier: MIT */
/*
 * A run that goes on, followed by reading its spool again and again. Runs on: one
 * thread. Must not write to the spool, stop or signal anybody, or believe what it reads.
 */
#pragma once

#include "collector/follow/state.h"

/* Follows one process of a run, by its PID; what it execs, too. */
int follow_open_process(struct follow **ret, int pid, char *error, size_t error_size);
/* All processes of the run in a directory of a spool, see rundir_open(). Both: 0, or
 * -errno with a sentence in error. */
int follow_open_run(struct follow **ret, const char *directory, char *error,
		    size_t error_size);
void follow_close(struct follow *follow);

/* Have the process, or all that were seen of the run, ended? Without a look. */
int follow_has_ended(const struct follow *follow);

/* Looks. The first look is what all later ones are compared with. -EIO: the recording is
 * damaged so that nothing can be read any more; else 0. */
int follow_look(struct follow *follow);
/* From now on LEDGER_ZERO means since now. */
void follow_set_zero(struct follow *follow);

/* Whose name stands for what is followed: what the process that was asked for runs now,
 * or the first one of the run. There is one, when process_count is not 0. */
uint32_t follow_main_process(const struct follow *follow);
/* PID of the process, and its executable's path. */
int32_t follow_process_pid(const struct follow *follow, uint32_t process);
const char *follow_process_name(const struct follow *follow, uint32_t process);
