/* SPDX-License-Identifier: MIT */
/*
 * Is a process of the run still alive, and what did it end with?. Must not take another
 * process with the same number for it.
 */
#pragma once

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

/* How a process ended. Signals and codes as in waitpid(). */
struct wait_status {
	int is_known;
	int exit_code;	 /* when exit_signal is 0 */
	int exit_signal; /* 0: it exited */
};

/* Is there a /proc that tells about processes? */
int liveness_proc_tells(void);

/* 1 when the process that started at start_time (field 22 of /proc/PID/stat; 0: not
 * known) is there and no zombie. Where /proc does not tell: when somebody has the
 * number. */
int liveness_check(int32_t pid, uint64_t start_time);

/* Who would wait for the process; 0 when it is not known. */
int32_t liveness_parent(int32_t pid);

/*
 * Field 22 of the process with this number, when it began between the two moments (ns of
 * CLOCK_MONOTONIC); else 0: nobody has the number, or another process. For forked
 * children, which do not know their start time: the number alone may be taken by another
 * process, or be of another PID namespace.
 */
uint64_t liveness_start_time(int32_t pid, uint64_t from_ns, uint64_t to_ns);

/* Processes besides our own, begun after from_ns, that map a file below directory: a
 * forked child belongs to the run before it has said so. Fills in at most capacity pids
 * and returns how many there are of them. */
size_t liveness_find_users(const char *directory, uint64_t from_ns, int32_t *ret_pids,
			   size_t capacity);

/* Does the process map a file below directory? */
int liveness_is_user(int32_t pid, const char *directory);

/* A pidfd of that very process, owned by the caller, or -errno. -ESRCH: it is gone;
 * others: it is there, but has to be asked after with liveness_check() (Linux before 5.3,
 * no descriptors left). */
int liveness_open(int32_t pid, uint64_t start_time);

/* The descriptor that the shim has left us at this number, if it is a pidfd; else -1. */
int liveness_inherited(int fd);

/* How the process behind a pidfd that has become readable ended. Asks /proc while the
 * parent has not reaped it and the kernel (6.15 or later) afterwards; not known when
 * neither tells. */
struct wait_status liveness_exit_status(int pidfd, int32_t pid, uint64_t start_time);

/* Could the process be that user (root) if it wanted: is it one of its three user ids? 1
 * also when that cannot be told. */
int liveness_can_be(int32_t pid, uint32_t user);

/* The text of a file of /proc/PID ("stat", "task/7/comm"). Returns its length, at most
 * size - 1; 0: there is none. */
size_t liveness_read(int32_t pid, const char *name, char *text, size_t size);

/* The threads that a process has: liveness_next_task() until it is 0, which ends it. NULL
 * has none. */
DIR *liveness_tasks(int32_t pid);
int32_t liveness_next_task(DIR *tasks);
