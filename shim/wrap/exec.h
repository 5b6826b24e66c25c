/* SPDX-License-Identifier: MIT */
/*
 * How a program image that is given an environment of its own still finds its run: what
 * is added to the environment on the way in, and taken out again before its main() sees
 * it. Runs on: exec_begin: the constructor. The rest: any thread and any context, a
 * vfork child too: stack and mmap only, no libc state, no locks. Must not change what
 * the program has in LD_PRELOAD, but for adding our library.
 *
 * What is missing of LD_PRELOAD and PROFSHIM_RUN is added, and EXEC_MARK says what was:
 * EXEC_ADDED_* letters. The image that finds the mark removes it and what it names.
 */
#pragma once

#include <stddef.h>

#define EXEC_MARK_NAME "PROFSHIM_INJECTED"
#define EXEC_MARK EXEC_MARK_NAME "="
#define EXEC_ADDED_RUN 'r'     /* the entry PROFSHIM_RUN */
#define EXEC_ADDED_PRELOAD 'p' /* the entry LD_PRELOAD */
#define EXEC_ADDED_FIRST 'f'   /* our library, as first item of LD_PRELOAD */
#define EXEC_ADDED_LAST 'l'    /* our library, as last item of LD_PRELOAD */

/* exec_environment.c: from now on children are given the run. run_variable:
 * "PROFSHIM_RUN=directory", kept. */
void exec_begin(const char *run_variable);

/* What to add to an environment. */
struct exec_plan {
	size_t count;	/* entries the program gave */
	size_t preload; /* index of its LD_PRELOAD; count: it gave none */
	int adds_run;
	char added_preload; /* EXEC_ADDED_PRELOAD, _FIRST, _LAST, or 0 */
	size_t size;	    /* bytes exec_fill() needs, aligned like a pointer */
};

/* exec_environment.c: 1 when something is missing in the environment and can be added;
 * 0 when it is complete, unreadable, or no children are followed. */
int exec_plan(struct exec_plan *plan, char *const *environment);

/* exec_environment.c: the environment to pass on, in the plan's size bytes of storage. */
char **exec_fill(const struct exec_plan *plan, char *const *environment, char *storage);

/* exec_environment.c: for an image that must not load us: an environment whose LD_PRELOAD
 * does not list our library, and without the run. Storage for it, 0: it does not list it
 * (or cannot be known to); and the environment in that storage. Reads memory without
 * asking first. */
size_t exec_strip_size(char *const *environment);
char **exec_strip(char *const *environment, char *storage);

/* exec_environment.c: takes our library out of the LD_PRELOAD of environ, for what libc
 * starts by itself: system(), popen(). */
void exec_leave(void);

/* exec_environment.c: does an environment carry the mark? */
int exec_has_additions(char *const *environment);

/* exec_environment.c: makes it what the program gave; the array and LD_PRELOAD's text are
 * changed in place. Returns whether PROFSHIM_RUN was among the additions. */
int exec_remove_additions(char **environment);

/* exec_target.c: whether the file would load us: a dynamic x86-64 program of glibc's
 * loader that runs with no other rights than its caller's, or a script for one. Nothing
 * is added for others: they would keep it, pass it on or complain about it. directory,
 * flags: like execveat. */
int exec_target_loads_us(int directory, const char *path, int flags);

/* exec_target.c: the same for the file that execvp() would find. */
int exec_target_search(const char *file);
