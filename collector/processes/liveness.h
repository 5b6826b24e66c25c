/* SPDX-License-Identifier: MIT */
/*
 * Is a process of the run still alive, and how did it end? Must not mistake another
 * process with the same pid for it.
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

/* Is there a usable /proc? */
int liveness_proc_tells(void);

/* Returns 1 when the process that started at start_time (field 22 of /proc/PID/stat; 0:
 * not known) exists and is no zombie. Without /proc: when the pid is in use. */
int liveness_check(int32_t pid, uint64_t start_time);

/* The pid of the process's parent; 0: not known. */
int32_t liveness_parent(int32_t pid);

/*
 * Field 22 of the process with this pid if it began between the two moments (ns of
 * CLOCK_MONOTONIC); else 0: no process, or another one. For forked children, which do not
 * know their start time: the pid alone may be another process's by now, or of another PID
 * namespace.
 */
uint64_t liveness_start_time(int32_t pid, uint64_t from_ns, uint64_t to_ns);

/* Finds processes other than ours, begun after from_ns, that map a file below directory:
 * a forked child belongs to the run before it says so. Fills in at most capacity pids;
 * returns how many processes there are. */
size_t liveness_find_users(const char *directory, uint64_t from_ns, int32_t *ret_pids,
			   size_t capacity);

/* Does the process map a file below directory? */
int liveness_is_user(int32_t pid, const char *directory);

/* A pidfd of exactly that process, owned by the caller, or -errno. -ESRCH: it is gone;
 * others: it exists, but must be polled with liveness_check() (Linux before 5.3, no
 * descriptors left). */
int liveness_open(int32_t pid, uint64_t start_time);

/* The descriptor with this number, which the shim left us, if it is a pidfd; else -1. */
int liveness_inherited(int fd);

/* How the process of a readable pidfd ended. Asks /proc until the parent has reaped it,
 * and then the kernel (6.15 or later); not known when neither tells. */
struct wait_status liveness_exit_status(int pidfd, int32_t pid, uint64_t start_time);

/* Could the process become that user (root, say)? 1 when it is one of its three user ids,
 * or that is unknown. */
int liveness_can_be(int32_t pid, uint32_t user);

/* Reads a file of /proc/PID ("stat", "task/7/comm"). Returns the text's length, at most
 * size - 1; 0: there is no file. */
size_t liveness_read(int32_t pid, const char *name, char *text, size_t size);

/* Lists a process's threads: call liveness_next_task() until it returns 0, which closes
 * the list. NULL is an empty list. */
DIR *liveness_tasks(int32_t pid);
int32_t liveness_next_task(DIR *tasks);
