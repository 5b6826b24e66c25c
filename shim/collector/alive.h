/* SPDX-License-Identifier: MIT */
/*
 * What this is:  is a process of the run still alive, and what did it end with?
 * Runs on:       any thread; collector and prof-analyze.
 * Must not:      take another process with the same number for it.
 * See also:      shim/collector/watch.c, shim/collector/spool.c
 */
#pragma once

#include <stdint.h>

/* How a process ended. Signals and codes as in waitpid(). */
struct exit_status {
	int is_known;
	int exit_code;	 /* when exit_signal is 0 */
	int exit_signal; /* 0: it exited */
};

/* 1 when the process that started at start_time (field 22 of /proc/PID/stat; 0: not
 * known) is there and no zombie. */
int alive_check(int32_t pid, uint64_t start_time);

/* When the process with this number now began, as field 22 says it; 0: nobody has it. */
uint64_t alive_start_time(int32_t pid);

/* A pidfd of that very process, owned by the caller, or -errno (-ESRCH: gone). */
int alive_open(int32_t pid, uint64_t start_time);

/* The descriptor that the shim has left us at this number, if it is a pidfd; else -1. */
int alive_inherited(int fd);

/* How the process behind a pidfd that has become readable ended. Asks /proc while the
 * parent has not reaped it and the kernel (6.15 or later) afterwards; not known when
 * neither tells. */
struct exit_status alive_exit_status(int pidfd, int32_t pid, uint64_t start_time);
