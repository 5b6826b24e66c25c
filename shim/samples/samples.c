/* SPDX-License-Identifier: MIT */
/* The lane's table of samples, and when and how often they come. */
#include "shim/samples/samples.h"

#include "common/segment_control.h"
#include "common/sampling_event.h"
#include "common/segment_samples.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/patch/stubs/arenas.h"
#include "shim/samples/ring.h"
#include "shim/waits/off_cpu.h"

/* Of busy time: before the first ring, and from look to look at one, after which it is
 * made anew. A thread that shares its descriptors opens one less often, but when it is to
 * have another rate. */
#define FIRST_TICKS (clock_tenth_of_second() >> 3) /* 12 ms */
#define NEXT_TICKS clock_tenth_of_second()
#define SHARED_LOOKS 8u

/* After so many refusals in a row the thread goes without. */
#define REFUSED_MOST 3u

/* The first thread has most of the work, and the longest stretches without a hook. */
#define FIRST_THREAD_PAGES 4u
#define THREAD_PAGES 1u

static struct extent own_code;

void samples_begin(uintptr_t low, uintptr_t high)
{
	own_code = (struct extent){low, high};
}

/* What is compared in the hooks stays equal. */
static void use_no_ring(struct lane_context *context)
{
	context->sample_head = &context->sample_tail;
}

void samples_begin_lane(struct lane_context *context)
{
	use_no_ring(context);
}

static uint64_t address_kind(uint64_t address)
{
	if (address >= own_code.low && address < own_code.high)
		return SEGMENT_SAMPLE_HOOKS;
	if (arenas_of(address))
		return SEGMENT_SAMPLE_STUBS;
	return address < SEGMENT_SAMPLE_KINDS ? SEGMENT_SAMPLE_FOLDED : address;
}

static uint32_t *head_of(struct lane_context *context, uint64_t address)
{
	uint64_t hash =
		(address ^ (uint64_t)context->current << 40) * 0x9e3779b97f4a7c15ull;

	return &context->sample_heads[hash >> 54];
}

_Static_assert(LANE_SAMPLE_HEADS == 1024, "head_of() shifts by 54");

/* NULL: it is not there. */
static struct segment_sample *find(struct segment_sample *all, uint32_t index,
				   uint32_t node, uint64_t address)
{
	while (index && (all[index].node != node || all[index].address != address))
		index = all[index].next;
	return index ? &all[index] : NULL;
}

/* The entry, made when it is not there. NULL: there is no room. */
static struct segment_sample *entry_of(struct lane_context *context, uint64_t address)
{
	struct segment_lane *lane = context->lane;
	struct segment_sample *all = arrays_entries(lane, &lane->samples), *entry;
	uint32_t *head = head_of(context, address);
	uint32_t index = lane->samples.count ? lane->samples.count : 1;

	entry = find(all, *head, context->current, address);
	if (entry)
		return entry;
	if (process_grow(lane, context->slot, ARRAY_SAMPLES, index + 1) < 0)
		return NULL;
	all[index] = (struct segment_sample){
		.address = address, .node = context->current, .next = *head};
	*head = index;
	arrays_publish(&lane->samples, index + 1);
	return &all[index];
}

static void add(struct lane_context *context, uint64_t address, uint32_t count,
		uint64_t weight_ns)
{
	uint64_t kind = address_kind(address);
	struct segment_sample *entry = entry_of(context, kind);

	context->lane->sample_count += count;
	if (kind == SEGMENT_SAMPLE_HOOKS)
		context->samples.hook_count += count;
	context->lane->sampled_ns += weight_ns;
	if (!entry)
		entry = entry_of(context, SEGMENT_SAMPLE_FOLDED);
	if (!entry) {
		context->lane->lost_sample_ns += weight_ns;
		return;
	}
	entry->count += count;
	entry->weight_ns += weight_ns;
}

static void add_record(struct lane_context *context, const struct ring_record *record)
{
	struct lane_samples *samples = &context->samples;
	uint64_t period_ns = samples->period_ns, passed_ns;

	if (record->lost_count) {
		add(context, SEGMENT_SAMPLE_FOLDED, (uint32_t)record->lost_count,
		    record->lost_count * period_ns);
		samples->clock_ns += record->lost_count * period_ns;
	}
	if (!record->address)
		return;
	passed_ns = record->clock_ns - samples->clock_ns;
	/* a tick that was due in the kernel gave no sample */
	if (record->clock_ns > samples->clock_ns && passed_ns > period_ns)
		context->lane->kernel_ns += passed_ns - period_ns;
	samples->clock_ns = record->clock_ns;
	add(context, record->address, 1, period_ns);
}

static void take(struct lane_context *context, int is_wanted)
{
	struct lane_samples *samples = &context->samples;
	uint64_t tail = context->sample_tail, head;
	struct ring_record record;

	if (!samples->ring ||
	    !busy_take(context, BUSY_SAMPLES, (uintptr_t)__builtin_frame_address(0)))
		return; /* a handler interrupted just this */
	/* acquire: the records before it are whole; pairs with the kernel's barrier */
	head = __atomic_load_n(context->sample_head, __ATOMIC_ACQUIRE);
	while (tail != head) {
		if (ring_read(samples->ring, samples->ring_bytes, head, &tail, &record) &&
		    is_wanted)
			add_record(context, &record);
		else if (record.clock_ns)
			samples->clock_ns = record.clock_ns;
	}
	ring_release(samples->ring, tail);
	context->sample_tail = tail;
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

static uint32_t pages_of(const struct lane_context *context)
{
	return context->tid == process->pid ? FIRST_THREAD_PAGES : THREAD_PAGES;
}

static void close_ring(struct lane_context *context)
{
	struct lane_samples *samples = &context->samples;
	void *ring = samples->ring;

	use_no_ring(context);
	__asm__ volatile("" : : : "memory");
	samples->ring = NULL;
	if (ring)
		ring_close(ring, samples->ring_bytes / RING_PAGE_BYTES);
}

void samples_end_lane(struct lane_context *context)
{
	samples_take(context);
	context->samples.next_busy_ticks = 0;
	context->samples.refused_count = 0;
	if (!context->samples.ring || !gate_enter())
		return;
	close_ring(context);
	gate_leave();
}

/* What the collector found says whether the program may ask; without one it may where no
 * filter is in force. A filter that has come since the run began is another one than the
 * collector's. */
static int is_allowed(void) /* the gate is entered */
{
	const struct segment_control *control = process_facts.control;
	const struct segment_run *run = process_facts.run;
	uint32_t sampling = SEGMENT_SAMPLING_UNKNOWN;
	int is_sandboxed;

	if (run->sample_hz == SEGMENT_SAMPLES_OFF)
		return 0;
	if (control) /* acquire: pairs with the release of who stores it */
		sampling = __atomic_load_n(&control->sampling, __ATOMIC_ACQUIRE);
	if (sampling != SEGMENT_SAMPLING_ALLOWED &&
	    (sampling != SEGMENT_SAMPLING_UNKNOWN ||
	     process_facts.state->collector_state != SEGMENT_COLLECTOR_NONE))
		return 0;
	is_sandboxed = SYSCALL(SYS_prctl, 21 /* PR_GET_SECCOMP */, 0, 0, 0, 0, 0) != 0;
	return !is_sandboxed ||
	       (run->is_sandboxed && sampling == SEGMENT_SAMPLING_ALLOWED);
}

static uint64_t switch_count(const struct lane_context *context)
{
	return context->off_cpu.blocked_count + context->off_cpu.preempted_count;
}

/* Without the part that is drawn; 0: samples would cost too much. busy_ticks: since the
 * ring before was made. */
static uint64_t period_for(const struct lane_context *context, uint64_t busy_ticks)
{
	const struct segment_control *control = process_facts.control;
	const struct segment_run *run = process_facts.run;

	return sampling_period_ns(run->sample_hz, control ? control->sample_tick_ns : 0,
				  (double)busy_ticks / run->ticks_per_second * 1e9,
				  switch_count(context) - context->samples.switch_count);
}

static uint64_t draw(struct lane_samples *samples, uint64_t period_ns)
{
	if (!samples->random)
		samples->random = (uint32_t)clock_now() | 1;
	return sampling_draw(&samples->random, period_ns);
}

static void open_ring(struct lane_context *context)
{
	struct lane_samples *samples = &context->samples;
	struct segment_lane *lane = context->lane;
	uint32_t pages = pages_of(context);
	long ring;

	samples->period_ns = draw(samples, samples->mean_period_ns);
	lane->sample_period_us = (uint32_t)(samples->mean_period_ns / 1000);
	ring = ring_open(samples->period_ns, pages);
	if (syscall_failed(ring)) {
		lane->ring_refused_count++;
		lane->ring_error = (int32_t)-ring;
		samples->refused_count++;
		return;
	}
	lane->ring_count++;
	samples->refused_count = 0;
	samples->ring_bytes = pages * RING_PAGE_BYTES;
	samples->clock_ns = 0;
	samples->ring = (void *)ring;
	context->sample_tail = 0;
	__asm__ volatile("" : : : "memory");
	context->sample_head = ring_head(samples->ring);
}

static int is_alone(void)
{
	return !process->lanes || !process->lanes->next_lane;
}

/* Until the next look at the ring; without one the collector may not have begun yet. */
static uint64_t interval_of(const struct lane_samples *samples)
{
	return samples->ring ? NEXT_TICKS : FIRST_TICKS;
}

static int may_stay(const struct lane_samples *samples, uint64_t period_ns)
{
	return samples->ring && period_ns == samples->mean_period_ns && !is_alone() &&
	       samples->look_count % SHARED_LOOKS;
}

static void renew(struct lane_context *context)
{
	struct lane_samples *samples = &context->samples;
	uint64_t period_ns = period_for(context, interval_of(samples));

	samples->switch_count = switch_count(context);
	samples->look_count++;
	if (may_stay(samples, period_ns) ||
	    !busy_take(context, BUSY_SAMPLES, (uintptr_t)__builtin_frame_address(0)))
		return;
	close_ring(context);
	samples->mean_period_ns = period_ns;
	if (period_ns)
		open_ring(context);
	else
		context->lane->ring_declined_count++;
	busy_give(context, BUSY_SAMPLES);
}

void cold samples_look(struct lane_context *context, uint64_t now)
{
	struct lane_samples *samples = &context->samples;
	uint64_t busy_ticks = lane_busy_ticks(context, now);

	if (samples_wait(context))
		samples_take(context);
	if (busy_ticks < samples->next_busy_ticks || context->is_vforking ||
	    samples->refused_count >= REFUSED_MOST)
		return;
	if (!samples->next_busy_ticks) {
		samples->next_busy_ticks = busy_ticks + FIRST_TICKS;
		samples->switch_count = switch_count(context);
		return;
	}
	if (gate_enter()) {
		if (is_allowed())
			renew(context);
		gate_leave();
	}
	samples->next_busy_ticks = busy_ticks + interval_of(samples);
}
