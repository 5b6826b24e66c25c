/* SPDX-License-Identifier: MIT */
/*
 * Books the time that a thread is without a CPU on its call path. Runs on: the lane's
 * thread, any context; slow paths only.
 *
 * Between two switches a thread's CPU clock runs like the wall clock. So the wall clock's
 * gain on it since the last reading is the time without a CPU. All of it lies after the
 * last hook that saw no switch: on the current path.
 *
 * READY OR BLOCKED. A thread that was preempted was ready all the time; the kernel counts
 * these switches apart (getrusage). One that slept was blocked, and then ready until it
 * got a CPU: how long, only /proc/thread-self/schedstat says. It is read where the thread
 * is the only one, for a descriptor of ours that is open for a microsecond may be closed
 * by another thread, and its number given to a file of the program. With several threads
 * the moment after a sleep counts as blocked here, and the collector takes out what the
 * whole thread waited for a CPU, from its row (segment_thread). So it does with short
 * sleeps: to read takes as long as some of them, and is worth it for 0.1 ms of them. The
 * end of a thread reads it for no less, and the beginning of one that was forked just now
 * not at all: until then it had a CPU or waited for one, but for what its parent took to
 * make it.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/lane/busy.h"
#include "shim/waits/switches.h"

/* The clocks start here, and so does the thread's row: a thread begins with the lane. The
 * first one of an image begins again when our constructor is done, whose work and waits
 * are not the program's. */
void off_cpu_begin(struct lane_context *context);

/* The calling thread is a forked child, which was made since then (ticks of the run's
 * clock); 0: what was said is over. */
void off_cpu_note_birth(uint64_t ticks);

/* What lies before is nobody's: the recording was paused. */
void off_cpu_skip(struct lane_context *context);

/* There has been a switch, and it was before `since` (ticks of the run's clock). Returns
 * how long it took, by which readings of the clock that were made before are to be moved:
 * what the recorder took for itself is left out of all open calls, and where it was
 * interrupted the time is that of the path that it was booked on. */
uint64_t off_cpu_book(struct lane_context *context);

/* In hooks, before a frame is opened or closed: the same, when there was one. context: of
 * the thread, whatever it is. Earlier readings of the clock are to be moved by what it
 * returns. */
static inline uint64_t off_cpu_book_switch(struct lane_context *context)
{
	return lane_is_live(context) && unlikely(switches_has_been(context)) &&
			       !paused_is_on()
		       ? off_cpu_book(context)
		       : 0;
}

/* Leaves out of all open calls what the recorder has done since (ticks of the run's
 * clock), as lane_leave_out() does. That the thread was switched out meanwhile is no
 * path's: in its time that is not, nor in what the recorder is said to have taken
 * (left_out_ticks). The switches before were booked. */
uint64_t off_cpu_leave_out(struct lane_context *context, uint64_t since);

/* The end of the thread, or of its process: brings its row up to now. Returns when that
 * is (ticks): who is preempted later does not live longer for it. */
uint64_t off_cpu_note_thread(struct lane_context *context);

/* The same of a process that the thread ends. */
uint64_t off_cpu_note_ending(struct lane_context *context);
