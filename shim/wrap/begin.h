/* SPDX-License-Identifier: MIT */
/*
 * What the wrappers begin with, each for itself, and what they ask of each other. Runs
 * on: the constructor, but where it says otherwise.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/attributes.h"

/* Registers the last exit handler. first: it waits for the collector. waiting: books what
 * exit() is about to write of streams, and tells how much that is. */
void exit_watch(int first, unsigned int wait_ms, int64_t (*waiting)(void));

/* exit() is about to flush all streams, inside of libc, after the last handler, which
 * calls this. Returns how many bytes they have. */
hidden int64_t stream_lives_exit(void);

/* Registers handlers around fork(). */
void fork_watch(void);

/* From here on lanes are taken back when their thread ends. */
void threads_begin(void);

/* Finds room for code of ours between a program that is linked to its address and its
 * heap. Without enough of it the heap begins later. */
void heap_begin(void);

/* Finds out whether vfork is libc's. */
void jumps_begin(void);

/* Takes a snapshot at each of these signals; 0: none. */
void snapshots_watch_signal(int signal_number);

/* mlockall, as the function and by syscall(). Any thread. */
long memory_lock_all(int flags);

/* Around SYS_setuid, SYS_setreuid, SYS_setresuid or SYS_chroot of a program that makes
 * them through syscall(). The first returns what to give to the second when the call has
 * succeeded. Any thread; errno stays. */
uint32_t privileges_before(long number, uid_t a, uid_t b, uid_t c);
void privileges_after(uint32_t notes);

/*
 * How a program image that is given an environment of its own still finds its run: what
 * is added to the environment on the way in, and taken out again before its main() sees
 * it. Runs on: additions_begin: the constructor. The rest: any thread and any context, a
 * vfork child too: stack and mmap only, no libc state, no locks. Must not change what
 * the program has in LD_PRELOAD, but for adding our library.
 *
 * What is missing of LD_PRELOAD and PROFSHIM_RUN is added, and EXEC_MARK says what was:
 * EXEC_ADDED_* letters. The image that finds the mark removes it and what it names.
 */

#define EXEC_MARK_NAME "PROFSHIM_INJECTED"
#define EXEC_MARK EXEC_MARK_NAME "="
#define EXEC_ADDED_RUN 'r'     /* the entry PROFSHIM_RUN */
#define EXEC_ADDED_PRELOAD 'p' /* the entry LD_PRELOAD */
#define EXEC_ADDED_FIRST 'f'   /* our library, as first item of LD_PRELOAD */
#define EXEC_ADDED_LAST 'l'    /* our library, as last item of LD_PRELOAD */

/* From now on children are given the run. run_variable:
 * "PROFSHIM_RUN=directory", kept. */
void additions_begin(const char *run_variable);

/* What to add to an environment. */
struct additions_plan {
	size_t count;	/* entries the program gave */
	size_t preload; /* index of its LD_PRELOAD; count: it gave none */
	int adds_run;
	char added_preload; /* EXEC_ADDED_PRELOAD, _FIRST, _LAST, or 0 */
	size_t size;	    /* bytes additions_fill() needs, aligned like a pointer */
};

/* 1 when something is missing in the environment and can be added;
 * 0 when it is complete, unreadable, or no children are followed. */
int additions_plan(struct additions_plan *plan, char *const *environment);

/* The environment to pass on, in the plan's size bytes of storage. */
char **additions_fill(const struct additions_plan *plan, char *const *environment,
		      char *storage);

/* For an image that must not load us: an environment whose LD_PRELOAD
 * does not list our library, and without the run. Storage for it, 0: it does not list it
 * (or cannot be known to); and the environment in that storage. Reads memory without
 * asking first. */
size_t additions_strip_size(char *const *environment);
char **additions_strip(char *const *environment, char *storage);

/* Takes our library out of the LD_PRELOAD of environ, for what libc
 * starts by itself: system(), popen(). */
void additions_leave(void);

/* environ as main() and its children see it. */

/* Sets environ for main(). kernel_environment: as the process began with. run_variable:
 * "PROFSHIM_RUN=directory", kept, or NULL when nothing is recorded. __libc_start_main. */
void environment_prepare(char **kernel_environment, const char *run_variable);
