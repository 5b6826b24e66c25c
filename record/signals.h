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
#include <sys/types.h>

/* How prof-record was started. */
struct record_signals {
	sigset_t mask;
	struct sigaction child; /* SIGCHLD */
};

/* Holds all signals back; before the fork. */
void record_signals_take(struct record_signals *ret);

/* As they were before: in prof-record, or in the child before its exec. */
void record_signals_give_back(const struct record_signals *signals);

/* Passes signals on to the program, our child, until it has ended; it stays a zombie. */
void record_signals_pass_on(pid_t program);

/* From now on a signal that would end us (SIGINT, SIGQUIT, SIGTERM, SIGHUP, unless it was
 * ignored before) does not, but is told by record_signal(); while a program runs, too.
 * The second one that comes while none runs does end us. */
void record_hold_signals(void);

/* The latest such signal; 0: none so far. */
int record_signal(void);
