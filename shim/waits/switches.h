/* SPDX-License-Identifier: MIT */
/*
 * Was the calling thread switched out since the last hook? One load and a comparison, no
 * system call: context->switch_word is a word that the kernel changes when it switches.
 *
 * RSEQ. glibc registers an area with the kernel for each thread (restartable sequences).
 * Its word rseq_cs names the critical section that the thread may be in; when the kernel
 * preempts the thread, or it sleeps, and it is not inside of that section, the kernel
 * sets the word to NULL. We name a section of our own that nobody is ever in. The kernel
 * reads its descriptor: it must be there, and the word before its abort address must be
 * the signature, or the thread gets SIGSEGV. Since Linux 6.19 a sleep in a system call
 * does not change the word any more. A program with sections of its own writes the word,
 * too: that looks like a switch, and costs a look at the clock.
 *
 * PERF. A software event of the thread, of which only the page is kept: its `lock` grows
 * with each switch. It needs a descriptor for a moment, 27 us a thread, and a kernel
 * that lets users do it (perf_event_paranoid up to 2, no sandbox).
 *
 * Which one serves is tried by a sleep, of a nanosecond at first, when the process
 * starts.
 */
#pragma once

#include "common/libc/calls.h"
#include "common/segment.h"
#include "shim/lane/lane.h"

/* Chooses: the constructor, in the first thread. is_wanted: 0 chooses none. */
void switches_begin(int is_wanted);

/* What was chosen. */
enum segment_switch_source switches_source(void);

/* A thread begins with the lane, and leaves it. */
void switches_begin_lane(struct lane_context *context);
void switches_end_lane(struct lane_context *context);

/* In the hooks. */
static inline int switches_has_been(const struct lane_context *context)
{
	return *context->switch_word != context->switch_mark;
}

/* From now on it is asked about switches after this. The lane's thread. */
void switches_arm(struct lane_context *context);
