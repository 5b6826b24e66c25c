/* SPDX-License-Identifier: MIT */
/*
 * Where threads were when they used their CPU time, a part of the contract between the
 * shim, which samples, and the collector. Must not change without a new SEGMENT_VERSION.
 *
 * WHO MAY SAMPLE
 *
 * The kernel may refuse samples, and a sandbox may kill who asks for them. So the
 * collector, which has the filters that the program began with, has a child ask first,
 * measures what a sample costs here, and says in segment_control.sampling what came out.
 * A process of the run samples when that is ALLOWED; with no collector at all it may try
 * for itself.
 *
 * WHAT IS KEPT
 *
 * A thread's task clock gives a sample after each period of its CPU time, and the next
 * hook of the thread takes what has come: between two hooks the call path stays the same,
 * so a sample belongs to the node that is current when it is taken. Samples of one node
 * and one address, with the same callers, are one entry of the lane's samples. weight_ns
 * is the sum of their periods, which differ (PERIODS).
 *
 * Addresses of the recorder itself are not kept: SEGMENT_SAMPLE_HOOKS stands for all of
 * the library, SEGMENT_SAMPLE_STUBS for the code that only counts. With no room for
 * another entry a sample goes to the node's entry without an address,
 * SEGMENT_SAMPLE_FOLDED; with none for that it is only in lost_sample_ns. Samples that
 * the kernel had no room for belong to the current node, too: no hook ran meanwhile.
 * Which addresses they had is not known, so they are FOLDED.
 *
 * STACKS
 *
 * Below the frame of the node may be calls that have none: of functions that are only
 * counted, or have no hooks. Where a thread has room for it (shim/samples/samples.c), 2
 * KiB of the stack come with a sample, and are unwound as far as that frame. A caller is
 * an entry, too: of the same node, with the return address and SEGMENT_KEY_RETURN_ADDRESS
 * for an address, and a count of none. A sample's entry names that of the innermost
 * caller, this one its own caller's. The outermost one lies in the node's function
 * itself, and names SEGMENT_SAMPLE_FRAME, as a sample's entry does that is in no call
 * below the node; or it names 0, and how it was called is not known.
 *
 * THE TIMER
 *
 * Where the kernel has no samples for us, or PROFSHIM_SAMPLES=timer asks for it, a timer
 * of the thread's CPU clock interrupts it by a signal, and the handler keeps the address
 * (shim/samples/timer.h). It strikes at the scheduler's ticks, after a period of
 * segment_control.timer_period_ns, or several when some were missed: these are one sample
 * of so much weight. Time in the kernel is in it, at the address where that was left.
 *
 * THE KERNEL'S PART
 *
 * Who may (sampling_add_kernel()) has samples of it, with the address where the program
 * left user mode, as the timer has. Others have samples of user mode only. The clock runs
 * on in the kernel: what it gained between two samples beyond the period is in kernel_ns
 * of the lane.
 *
 * PERIODS
 *
 * A period is drawn anew each time the ring is made, from PERIOD * [0.8, 1.2]: a program
 * whose phases have the period of the samples would be seen in some of them only. What
 * has passed of a period when the ring ends is lost, for all code alike.
 *
 * A thread that is switched often has a ring in a part of its time (sampling_share()).
 * The weight of such samples is longer than their period by the time before the ring in
 * which there was none.
 */
#pragma once

#include <stdint.h>

/* segment_control.sampling: what the collector found. */
enum segment_sampling {
	SEGMENT_SAMPLING_UNKNOWN = 0, /* nobody has tried yet */
	SEGMENT_SAMPLING_ALLOWED = 1,
	SEGMENT_SAMPLING_REFUSED = 2, /* sampling_error says why */
	SEGMENT_SAMPLING_OFF = 3,     /* PROFSHIM_SAMPLES=off */
};

/* segment_run.sample_hz */
#define SEGMENT_SAMPLES_AUTO 0u
#define SEGMENT_SAMPLES_OFF UINT32_MAX
#define SEGMENT_SAMPLES_TIMER (UINT32_MAX - 1)
#define SEGMENT_SAMPLES_MOST_HZ 10000u

/* In the place of an address: no code is there. */
#define SEGMENT_SAMPLE_HOOKS 1u
#define SEGMENT_SAMPLE_STUBS 2u
#define SEGMENT_SAMPLE_FOLDED 3u
#define SEGMENT_SAMPLE_KINDS 4u /* lower ones are no addresses */

/* Of the timer, where nobody has asked: a tick of most kernels. */
#define SEGMENT_SAMPLES_TIMER_NS 4000000u

#define SEGMENT_SAMPLE_FRAME UINT32_MAX /* segment_sample.caller: see STACKS */

#define SEGMENT_SAMPLE_LIMIT (1u << 17) /* of a lane */

struct segment_sample {
	uint64_t address;   /* of the instruction, or one of the above */
	uint64_t weight_ns; /* sum of the periods */
	uint32_t node;	    /* of the lane */
	uint32_t count;
	uint32_t next;	 /* of the shim alone: of a hash chain */
	uint32_t caller; /* an entry before this one; see STACKS */
};

_Static_assert(sizeof(struct segment_sample) == 32, "segment_sample layout");
