/* SPDX-License-Identifier: MIT */
/* Record by record. */
#include "shim/samples/drain.h"

#include "common/segment_samples.h"
#include "shim/core/gate.h"
#include "shim/samples/below.h"
#include "shim/samples/ring.h"
#include "shim/samples/table.h"

static void add_lost(struct lane_context *context, uint64_t periods, uint32_t count)
{
	struct below nobody;

	nobody.count = 0;
	nobody.is_whole = 0;
	table_add(context, SEGMENT_SAMPLE_FOLDED, &nobody, count,
		  periods * context->samples.period_ns);
}

/* A tick that was due in the kernel gave no sample. */
static void note_kernel(struct lane_context *context, uint64_t clock_ns)
{
	struct lane_samples *samples = &context->samples;
	uint64_t passed_ns = clock_ns - samples->clock_ns;

	if (clock_ns > samples->clock_ns && passed_ns > samples->period_ns)
		context->lane->kernel_ns += passed_ns - samples->period_ns;
	samples->clock_ns = clock_ns;
}

/* How many periods it stands for. */
static uint64_t periods_of(struct lane_context *context, const struct ring_record *record)
{
	if (!context->samples.ring) {
		context->lane->timer_sample_count++;
		return record->clock_ns; /* see timer.c */
	}
	note_kernel(context, record->clock_ns);
	return 1;
}

/* Some of them are known already. */
static void add_told(struct lane_context *context, uint64_t count)
{
	struct lane_samples *samples = &context->samples;
	uint64_t known = samples->unwritten_count;

	samples->unwritten_count = 0;
	if (count <= known)
		return;
	add_lost(context, count - known, (uint32_t)(count - known));
	samples->clock_ns += (count - known) * samples->period_ns;
}

/* The ring was full. What had no room in it the kernel tells with the next sample, which
 * belongs to another node, or never comes. The thread's clock knows it now. */
static void add_unwritten(struct lane_context *context)
{
	struct lane_samples *samples = &context->samples;
	uint64_t now_ns, periods;

	if (!gate_enter())
		return;
	now_ns = ring_thread_ns();
	gate_leave();
	if (!samples->opened_cpu_ns ||
	    now_ns < samples->opened_cpu_ns + samples->clock_ns + samples->period_ns)
		return;
	periods = (now_ns - samples->opened_cpu_ns - samples->clock_ns) /
		  samples->period_ns;
	add_lost(context, periods, (uint32_t)periods);
	samples->clock_ns += periods * samples->period_ns;
	samples->unwritten_count += periods;
}

static void add_record(struct lane_context *context, const struct ring_record *record)
{
	struct lane_samples *samples = &context->samples;
	struct below below;
	uint64_t periods;

	if (record->lost_count)
		add_told(context, record->lost_count);
	if (!record->address)
		return;
	periods = periods_of(context, record);
	below_find(context, &samples->data, record, &below);
	table_add(context, record->address, &below, 1, periods * samples->period_ns);
}

static void drain_timer_lost(struct lane_context *context, int is_wanted)
{
	uint64_t periods = __atomic_exchange_n(&context->samples.timer_lost_periods, 0,
					       __ATOMIC_RELAXED);

	if (!periods || !is_wanted)
		return;
	add_lost(context, periods, 1);
	context->lane->timer_sample_count++;
}

void drain(struct lane_context *context, int is_wanted)
{
	struct lane_samples *samples = &context->samples;
	uint64_t begin = context->sample_tail, tail = begin, last = begin, head;
	struct ring_record record;
	uint32_t taken = 0;

	/* acquire: the records before it are whole; pairs with the kernel's barrier */
	head = __atomic_load_n(context->sample_head, __ATOMIC_ACQUIRE);
	for (; tail != head; taken += 1 + (uint32_t)record.lost_count) {
		last = tail;
		if (ring_read(&samples->data, head, &tail, &record) && is_wanted)
			add_record(context, &record);
		else if (record.clock_ns)
			samples->clock_ns = record.clock_ns;
	}
	/* one more as the last one would not have fitted */
	if (samples->ring && is_wanted && taken &&
	    tail - begin + (tail - last) > samples->data.bytes)
		add_unwritten(context);
	if (taken > samples->most_taken)
		samples->most_taken = taken;
	if (samples->ring)
		ring_release(samples->ring, tail);
	else
		drain_timer_lost(context, is_wanted);
	__asm__ volatile("" : : : "memory");
	context->sample_tail = tail;
}
