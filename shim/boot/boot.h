/* SPDX-License-Identifier: MIT */
/*
 * The steps of starting, in the order shim/boot/start.c takes them. Runs on: the
 * constructor (the thread that starts the process) unless said otherwise at the
 * function. Must not abort the host: a step that fails leaves a note and the shim
 * records less, or nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"
#include "shim/boot/config.h"

/* unwinder.c: loads libunwind privately; after libc's own constructor, not before. Notes
 * when it cannot be had. */
void unwinder_load(void);

/* run.c: joins the run that PROFSHIM_RUN names, or makes a new one: spool directory, run
 * and state, process_facts.run and .state. *ret_first: this process is the run's first.
 * 0, or -errno with a message in `error`: empty when there is nothing the user should be
 * told. */
int run_open(const struct config *config, int *ret_first, char *error, size_t error_size);

/* run.c: creates this image's segment file and process slot. 0, or -errno with a message
 * in `error`. */
int run_create_segment(const struct config *config, char *error, size_t error_size);

/* run.c: run_open() and run_create_segment() share a descriptor; this closes it. In any
 * case, before the program runs. */
void run_settle(void);

/* run.c: removes a run that could not begin. */
void run_abandon(void);

/* run.c: tells the collector to look. Any thread. */
void run_ring(void);

/* run.c: the directory run_open() decided on. */
const char *run_directory(void);

/* triggers.c: reads PROFSHIM_SNAPSHOT_AT. 0: not understood. */
int triggers_begin(const char *value);

/* triggers.c: looks for the named functions in an object that is recorded. Traced
 * threads, under the process lock. */
void triggers_look(const struct segment_module *module);

/* modules.c: copies the build-id among these ELF notes, if there is one. Any context. */
void modules_copy_build_id(struct segment_module *module, const char *notes, size_t size);

/* snapshots.c: takes a snapshot at each of these signals; 0: none. */
void snapshots_watch_signal(int signal_number);

/* environment.c: sets environ for main(). kernel_environment: as the process began with.
 * run_variable: "PROFSHIM_RUN=directory", kept, or NULL when nothing is recorded. */
void environment_prepare(char **kernel_environment, const char *run_variable);

/* calibrate.c: measures the cost of the hooks, and the rate of the clock since run's
 * start triple, for a run that is about to begin. */
void calibrate_hooks(struct segment_run *run);

/* collector.c: starts profshim-collect, detached. Failure leaves a note: -ENOENT when it
 * was not found, the error of clone or exec otherwise. 0 also where none is wanted. */
int collector_start(const struct config *config);

/* exit.c: registers the last exit handler. first: wait for the collector there. */
void exit_watch(int first, unsigned int wait_ms);

/* threads.c: the thread-end destructor. */
void threads_begin(void);

/* fork.c: handlers around fork(). */
void fork_watch(void);

/* jumps.c: whether vfork is libc's. */
void jumps_begin(void);

/* memory_lock.c: mlockall, as the function and by syscall(). Any thread. */
long memory_lock_all(int flags);

/* What the shim does: what happens in the middle of a program, or when it starts. */
enum seal_calls {
	SEAL_CALLS_GROWTH,
	SEAL_CALLS_START,
};

/* seal_filter.c: would this seccomp filter (struct sock_fprog) answer one of our system
 * calls otherwise than by carrying it out or by an error? Any thread. */
int seal_filter_forbids(const void *program, enum seal_calls calls);

/* seal.c: the program's filter would kill an image that starts with us in it. */
extern int seal_forbids_start;

/* modules.c: any thread, after a dlclose: marks the objects that are no longer mapped, so
 * that others may come at their addresses. */
void modules_unloaded(void);

/* unwinder.c: can the eight bytes that hold this address be read? Any thread, any
 * context, without a descriptor. */
int memory_is_readable(uintptr_t address);

/* unwinder.c: any thread: forgets what libunwind knows of unloaded code. */
void unwinder_forget(void);

/* collector.c: absolute path of a file of ours: as a sibling of the shim in the built
 * tree, or installed. 0, or -ENOENT. */
int collector_find(const struct config *config, char *path, size_t path_size);
