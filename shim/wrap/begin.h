/* SPDX-License-Identifier: MIT */
/*
 * What the wrappers begin with, each for itself, and what they ask of each other. Runs
 * on: the constructor, but where it says otherwise.
 */
#pragma once

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
