/* SPDX-License-Identifier: MIT */
/* Where samples come from, when and how often. */
#include "shim/samples/samples.h"

#include <errno.h>

#include "common/segment_control.h"
#include "common/sampling_event.h"
#include "common/segment_samples.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/lane/busy.h"
#include "shim/samples/drain.h"
#include "shim/samples/ring.h"
#include "shim/samples/timer.h"
#include "shim/waits/off_cpu.h"

/* Of busy time: before the first ring, and from look to look at one, after which it is
 * made anew. A thread that shares its descriptors opens one less often, but when it is to
 * have another rate. */
#define FIRST_TICKS (clock_tenth_of_second() >> 3) /* 12 ms */
#define NEXT_TICKS clock_tenth_of_second()
#define SHARED_LOOKS 8u

/* After so many refusals in a row the thread goes without. */
#define REFUSED_MOST 3u

/* With stacks, for a stretch without a hook of 40 ms; of so many threads at a time. What
 * users may lock is 129 pages for each CPU, and RLIMIT_MEMLOCK. */
#define WIDE_PAGES 32u
#define WIDE_MOST 4u
#define WIDE_RECORDS (WIDE_PAGES * RING_PAGE_BYTES / (SAMPLING_STACK_BYTES + 72u))
#define NARROW_PAGES 1u

/* What is compared in the hooks stays equal. */
static void use_no_ring(struct lane_context *context)
{
	context->sample_head = &context->sample_tail;
}

void samples_begin_lane(struct lane_context *context)
{
	use_no_ring(context);
}

static void take(struct lane_context *context, int is_wanted)
{
	if (!samples_wait(context) ||
	    !busy_take(context, BUSY_SAMPLES, (uintptr_t)__builtin_frame_address(0)))
		return; /* a handler interrupted just this */
	drain(context, is_wanted);
	busy_give(context, BUSY_SAMPLES);
}

void cold samples_take(struct lane_context *context)
{
	take(context, 1);
}

void cold samples_skip(struct lane_context *context)
{
	take(context, 0);
}

uint64_t cold samples_book(struct lane_context *context)
{
	uint64_t since;

	if (!lane_is_live(context) || !samples_wait(context) || paused_is_on())
		return 0;
	since = clock_now();
	samples_take(context);
	return off_cpu_leave_out(context, since);
}

static void set_wide(struct lane_samples *samples, uint32_t is_wide)
{
	__atomic_store_n(&samples->is_wide, is_wide, __ATOMIC_RELAXED);
}

static void close_ring(struct lane_context *context)
{
	struct lane_samples *samples = &context->samples;
	void *ring = samples->ring;

	use_no_ring(context);
	__asm__ volatile("" : : : "memory");
	samples->ring = NULL;
	set_wide(samples, 0);
	if (ring)
		ring_close(ring, samples->data.bytes / RING_PAGE_BYTES);
}

void samples_end_lane(struct lane_context *context)
{
	samples_take(context);
	context->samples.next_busy_ticks = 0;
	context->samples.refused_count = context->samples.is_narrow = 0;
	if ((!context->samples.ring && !timer_is_set(context)) || !gate_enter())
		return;
	close_ring(context);
	timer_end(context);
	gate_leave();
}

void samples_end_timers(void)
{
	if (__atomic_load_n(&timer_is_given_up, __ATOMIC_RELAXED) ||
	    !process_is_ready() || !gate_enter())
		return;
	timer_give_up();
	gate_leave();
}

void samples_use_signal_stack(const stack_t *stack)
{
	if (!stack || !process_is_ready() || !gate_enter())
		return;
	if (readable_address((uintptr_t)stack) &&
	    readable_address((uintptr_t)(stack + 1) - 1) &&
	    !(stack->ss_flags & SS_DISABLE) && stack->ss_size < TIMER_STACK_BYTES)
		timer_give_up();
	gate_leave();
}

void samples_settle(const struct lane_context *context)
{
	if (context->fiber != &context->native)
		samples_end_timers();
}

enum source { SOURCE_NONE, SOURCE_RING, SOURCE_TIMER };

/* By what the collector found. */
static enum source source_found(uint32_t sampling)
{
	const struct segment_control *control = process_facts.control;

	if (process_facts.run->sample_hz != SEGMENT_SAMPLES_TIMER &&
	    sampling == SEGMENT_SAMPLING_ALLOWED)
		return SOURCE_RING;
	return control->timer_period_ns ? SOURCE_TIMER : SOURCE_NONE;
}

/* What the collector found says whether the program may ask; without one it may where no
 * filter is in force. A filter that has come since the run began is another one than the
 * collector's. */
static enum source source_for_us(void) /* the gate is entered */
{
	const struct segment_control *control = process_facts.control;
	const struct segment_run *run = process_facts.run;
	uint32_t sampling = SEGMENT_SAMPLING_UNKNOWN;
	enum source source = SOURCE_NONE;

	if (run->sample_hz == SEGMENT_SAMPLES_OFF)
		return SOURCE_NONE;
	if (control) /* acquire: pairs with the release of who stores it */
		sampling = __atomic_load_n(&control->sampling, __ATOMIC_ACQUIRE);
	if (sampling != SEGMENT_SAMPLING_UNKNOWN)
		source = source_found(sampling);
	else if (process_facts.state->collector_state == SEGMENT_COLLECTOR_NONE)
		source = run->sample_hz == SEGMENT_SAMPLES_TIMER ? SOURCE_TIMER
								 : SOURCE_RING;
	if (source == SOURCE_NONE ||
	    !SYSCALL(SYS_prctl, 21 /* PR_GET_SECCOMP */, 0, 0, 0, 0, 0))
		return source;
	return run->is_sandboxed && sampling != SEGMENT_SAMPLING_UNKNOWN ? source
									 : SOURCE_NONE;
}

static uint64_t switch_count(const struct lane_context *context)
{
	return context->off_cpu.blocked_count + context->off_cpu.preempted_count;
}

static int is_alone(void)
{
	/* acquire: pairs with the release of the lane's begin */
	const struct lane_context *lanes =
		__atomic_load_n(&process->lanes, __ATOMIC_ACQUIRE);

	return !lanes || !lanes->next_lane;
}

/* By the switches since the last look, so many busy ticks ago. */
static double share_for(const struct lane_context *context, uint64_t passed_ticks,
			uint64_t tick_ns)
{
	const struct segment_run *run = process_facts.run;

	return sampling_share(run->sample_hz, tick_ns,
			      (double)passed_ticks / run->ticks_per_second * 1e9,
			      switch_count(context) - context->samples.switch_count);
}

/* Shorter windows between shorter rests tell more of a program's phases; where
 * descriptors are shared, rings are not made more often than without rests. */
static uint64_t window_for(double share)
{
	uint64_t ticks = is_alone() ? 0 : (uint64_t)(share * (double)NEXT_TICKS);

	return ticks > FIRST_TICKS ? ticks : FIRST_TICKS;
}

static uint64_t draw(struct lane_samples *samples, uint64_t period_ns)
{
	if (!samples->random)
		samples->random = (uint32_t)clock_now() | 1;
	return sampling_draw(&samples->random, period_ns);
}

static void note_refusal(struct lane_context *context, long error)
{
	context->lane->ring_refused_count++;
	context->lane->ring_error = (int32_t)-error;
	context->samples.refused_count++;
}

static void note_period(struct lane_context *context)
{
	struct lane_samples *samples = &context->samples;

	samples->period_ns = draw(samples, samples->mean_period_ns);
	context->lane->sample_period_us = (uint32_t)(samples->mean_period_ns / 1000);
}

/* Without a lock: that there are one or two more for a while does no harm. */
static int may_be_wide(const struct lane_context *context)
{
	uint32_t count = 0;

	/* acquire: pairs with the release of the lane's begin */
	for (const struct lane_context *other =
		     __atomic_load_n(&process->lanes, __ATOMIC_ACQUIRE);
	     other; other = other->next_lane)
		count += other != context &&
			 __atomic_load_n(&other->samples.is_wide, __ATOMIC_RELAXED);
	return count < WIDE_MOST && !context->samples.is_narrow;
}

static long open_with(struct lane_samples *samples, uint32_t pages, enum ring_more more)
{
	long ring = -EACCES;

	samples->data.bytes = pages * RING_PAGE_BYTES;
	if (!samples->has_no_kernel)
		ring = ring_open(samples->period_ns, pages, more | RING_KERNEL);
	if (ring == -EACCES) {
		samples->has_no_kernel = 1;
		ring = ring_open(samples->period_ns, pages, more);
	}
	return ring;
}

/* Where stretches without a hook are longer than a ring with stacks, it has none. */
static long open_wide(struct lane_samples *samples)
{
	return open_with(samples, WIDE_PAGES,
			 samples->most_taken < WIDE_RECORDS ? RING_STACKS : 0);
}

static void open_ring(struct lane_context *context)
{
	struct lane_samples *samples = &context->samples;
	int is_wide = may_be_wide(context);
	long ring = -EPERM;

	note_period(context);
	if (is_wide)
		ring = open_wide(samples);
	if (syscall_failed(ring)) {
		ring = open_with(samples, NARROW_PAGES, 0);
		samples->is_narrow |= is_wide && !syscall_failed(ring);
	}
	if (syscall_failed(ring)) {
		note_refusal(context, ring);
		return;
	}
	context->lane->ring_count++;
	samples->refused_count = 0;
	samples->most_taken = 0;
	samples->clock_ns = samples->unwritten_count = 0;
	samples->opened_cpu_ns = clock_ask(CLOCK_THREAD_CPUTIME_ID);
	set_wide(samples, samples->data.bytes > NARROW_PAGES * RING_PAGE_BYTES);
	samples->ring = (void *)ring;
	samples->data.start = (char *)samples->ring + RING_PAGE_BYTES;
	context->sample_tail = 0;
	__asm__ volatile("" : : : "memory");
	context->sample_head = ring_head(samples->ring);
}

/* Between windows in which the thread is sampled: they are the share of its time. */
static uint64_t rest_of(struct lane_samples *samples, uint64_t window_ticks, double share)
{
	return draw(samples, (uint64_t)((double)window_ticks * (1 / share - 1)));
}

static int may_stay(const struct lane_samples *samples, uint64_t period_ns)
{
	return samples->ring && period_ns == samples->mean_period_ns && !is_alone() &&
	       samples->look_count % SHARED_LOOKS;
}

/* passed_ticks: of busy time, since the last look. */
static void renew(struct lane_context *context, uint64_t passed_ticks)
{
	struct lane_samples *samples = &context->samples;
	const struct segment_control *control = process_facts.control;
	uint64_t tick_ns = control ? control->sample_tick_ns : 0, window_ticks, period_ns;
	double share = share_for(context, passed_ticks, tick_ns);
	int was_sampled = samples->ring != NULL;

	window_ticks = window_for(share);
	period_ns = share < 1 ? SAMPLING_LEAST_PERIOD_NS
			      : sampling_period_ns(process_facts.run->sample_hz, tick_ns,
						   1, 0);
	samples->switch_count = switch_count(context);
	samples->look_count++;
	if ((share == 1 && may_stay(samples, period_ns)) ||
	    !busy_take(context, BUSY_SAMPLES, (uintptr_t)__builtin_frame_address(0)))
		return;
	close_ring(context);
	samples->mean_period_ns = period_ns;
	samples->interval_ticks = FIRST_TICKS;
	if (share == 0) {
		context->lane->ring_declined_count++;
	} else if (share < 1 && was_sampled) {
		samples->interval_ticks = rest_of(samples, window_ticks, share);
	} else {
		samples->stands_for = SAMPLES_FOR_ITSELF;
		if (share < 1)
			samples->stands_for +=
				passed_ticks * SAMPLES_FOR_ITSELF / window_ticks;
		open_ring(context);
		if (samples->ring)
			samples->interval_ticks = share < 1 ? window_ticks : NEXT_TICKS;
	}
	busy_give(context, BUSY_SAMPLES);
}

/* It strikes at the scheduler's tick, so it costs the same at each rate, and nothing at a
 * switch. */
static void renew_timer(struct lane_context *context)
{
	struct lane_samples *samples = &context->samples;
	const struct segment_control *control = process_facts.control;
	int result;

	if (!busy_take(context, BUSY_SAMPLES, (uintptr_t)__builtin_frame_address(0)))
		return;
	samples->mean_period_ns = control && control->timer_period_ns
					  ? control->timer_period_ns
					  : SEGMENT_SAMPLES_TIMER_NS;
	samples->stands_for = SAMPLES_FOR_ITSELF;
	note_period(context);
	result = timer_set(context, samples->period_ns);
	if (result == 0) {
		context->lane->ring_count++;
		samples->refused_count = 0;
	} else if (result == -EBUSY) {
		samples->refused_count++;
	} else {
		note_refusal(context, result);
	}
	busy_give(context, BUSY_SAMPLES);
}

void cold samples_look(struct lane_context *context, uint64_t now)
{
	struct lane_samples *samples = &context->samples;
	uint64_t busy_ticks = lane_busy_ticks(context, now);

	if (samples_wait(context))
		samples_take(context);
	/* time without a CPU was taken for busy when it was last looked at */
	if (samples->next_busy_ticks > busy_ticks + samples->interval_ticks)
		samples->next_busy_ticks = busy_ticks + samples->interval_ticks;
	if (busy_ticks < samples->next_busy_ticks || context->is_vforking ||
	    samples->refused_count >= REFUSED_MOST)
		return;
	if (!samples->next_busy_ticks) {
		samples->interval_ticks = FIRST_TICKS;
		samples->next_busy_ticks = busy_ticks + FIRST_TICKS;
		samples->switch_count = switch_count(context);
		return;
	}
	if (gate_enter()) {
		switch (source_for_us()) {
		case SOURCE_RING:
			renew(context, samples->interval_ticks + busy_ticks -
					       samples->next_busy_ticks);
			break;
		case SOURCE_TIMER:
			renew_timer(context);
			samples->interval_ticks = NEXT_TICKS;
			break;
		case SOURCE_NONE:
			break;
		}
		gate_leave();
	}
	samples->next_busy_ticks = busy_ticks + samples->interval_ticks;
}
