/* SPDX-License-Identifier: MIT */
/*
 * Record by record: who called the code that it is in, as far as the frame that is
 * innermost in the lane, by unwind tables (shim/code/code.h), on the stack that came with
 * it; then the lane's table. Must not read the stack in use: it has changed since.
 */
#include "shim/samples/drain.h"

#include "common/segment_samples.h"
#include "shim/code/code.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/patch/arenas.h"
#include "shim/samples/ring.h"

#define BELOW_MOST 48u

/* Return addresses, innermost first. */
struct below {
	uint64_t addresses[BELOW_MOST];
	uint32_t count;
	int is_whole; /* the last is in the function of the frame, or it is without any */
};

/* Of the stack in use, that must be left: reading the tables takes some. */
#define STACK_LEAST 4096u

static int has_room(const struct lane_context *context)
{
	return (uintptr_t)__builtin_frame_address(0) - paused_stack_low(context) >=
	       STACK_LEAST;
}

/* The stack pointer of the innermost frame's function, when it called its hook: what it
 * calls has its frames below that. A call of libc has its wrapper's canonical frame
 * address, and the wrapper's own frame ends there: its caller is above. */
static uint64_t end_of_frames(const struct lane_context *context)
{
	const struct segment_frame *frame = context->top - 1;

	if (context->top <= context->frames)
		return UINT64_MAX;
	return frame->stack_pointer - (uint64_t)segment_key_is_libc(frame->function);
}

/* In the procedure linkage table, whose rules are not so simple: the function that leads
 * there has just been called, and the stack is as it was. Not of code of no object. */
static struct cfi_rule rule_of_linkage(const struct ring_data *data,
				       const struct ring_record *record)
{
	struct code code;
	uint64_t caller;

	if (!ring_word(data, record, record->stack_pointer, &caller) ||
	    rules_of(caller).kind != CFI_STEP || code_find(record->address, &code) < 0)
		return (struct cfi_rule){.kind = CFI_ODD};
	return (struct cfi_rule){.kind = CFI_STEP, .cfa_words = 1};
}

static void below_find(const struct lane_context *context, const struct ring_data *data,
		       const struct ring_record *record, struct below *ret)
{
	uint64_t end = end_of_frames(context), at = record->stack_pointer, cfa, saved;
	uint64_t frame_pointer = record->frame_pointer;
	/* a rule is that of the instruction before this address */
	uint64_t code = record->address + 1;

	ret->count = 0;
	ret->is_whole = 0;
	if (!record->stack_bytes || at > end || !has_room(context))
		return;
	for (;;) {
		struct cfi_rule rule = rules_of(code);

		if (rule.kind != CFI_STEP && ret->count == 0)
			rule = rule_of_linkage(data, record);
		if (rule.kind != CFI_STEP)
			break;
		cfa = (rule.is_from_frame_pointer ? frame_pointer : at) +
		      rule.cfa_words * 8ul;
		if (cfa > end || ret->count == BELOW_MOST) {
			ret->is_whole = cfa > end;
			break;
		}
		/* at the end of a function it is restored: compilers leave its rule as it
		 * was, while the word that it names is below the stack by then */
		saved = cfa - rule.saved_words * 8ul;
		if (cfa <= at || !ring_word(data, record, cfa - 8, &code) ||
		    (rule.saved_words && saved >= at &&
		     !ring_word(data, record, saved, &frame_pointer)))
			break;
		ret->addresses[ret->count++] = code;
		at = cfa;
	}
}

/* Chains of entries in the lane's part of the segment, by a hash of what they are. */

static struct extent own_code;

void table_begin(uintptr_t low, uintptr_t high)
{
	own_code = (struct extent){low, high};
}

static uint64_t address_kind(uint64_t address)
{
	if (address >= own_code.low && address < own_code.high)
		return SEGMENT_SAMPLE_HOOKS;
	if (arenas_of(address))
		return SEGMENT_SAMPLE_STUBS;
	return address < SEGMENT_SAMPLE_KINDS ? SEGMENT_SAMPLE_FOLDED : address;
}

static uint32_t *head_of(struct lane_context *context, uint64_t address, uint32_t caller)
{
	uint64_t hash = (address ^ (uint64_t)context->current << 40) + caller;

	return &context->sample_heads[hash * 0x9e3779b97f4a7c15ull >> 52];
}

_Static_assert(LANE_SAMPLE_HEADS == 4096, "head_of() shifts by 52");

static int is_it(const struct segment_sample *entry, uint32_t node, uint64_t address,
		 uint32_t caller)
{
	return entry->address == address && entry->caller == caller &&
	       entry->node == node;
}

/* The index of the entry, made when it is not there. 0: there is no room. */
static uint32_t entry_of(struct lane_context *context, uint64_t address, uint32_t caller)
{
	struct segment_lane *lane = context->lane;
	struct segment_sample *all = arrays_entries(lane, &lane->samples);
	uint32_t *head = head_of(context, address, caller);
	uint32_t index = *head;

	while (index && !is_it(&all[index], context->current, address, caller))
		index = all[index].next;
	if (index)
		return index;
	/* no hook may ever lead into the object that it is in */
	upcalls.note_module(address & SEGMENT_KEY_ADDRESS_MASK);
	index = lane->samples.count ? lane->samples.count : 1;
	if (process_grow(lane, context->slot, ARRAY_SAMPLES, index + 1) < 0)
		return 0;
	all[index] = (struct segment_sample){.address = address,
					     .node = context->current,
					     .next = *head,
					     .caller = caller};
	*head = index;
	arrays_publish(&lane->samples, index + 1);
	return index;
}

/* The entry of the innermost caller. */
static uint32_t callers_of(struct lane_context *context, const struct below *below)
{
	uint32_t caller = below->is_whole ? SEGMENT_SAMPLE_FRAME : 0;

	for (uint32_t i = below->count; i-- > 0;) {
		if (address_kind(below->addresses[i]) < SEGMENT_SAMPLE_KINDS)
			continue;
		caller = entry_of(context,
				  below->addresses[i] | SEGMENT_KEY_RETURN_ADDRESS,
				  caller);
		if (!caller) /* what is farther in was not called by what is farther out
			      */
			break;
	}
	return caller;
}

/* The ring's samples tell of the time before it, too, when there was none for a while. */
static uint64_t told_ns(const struct lane_context *context, uint64_t ns)
{
	return ns * context->samples.stands_for / SAMPLES_FOR_ITSELF;
}

/* Adds so many samples to the current node. */
static void table_add(struct lane_context *context, uint64_t address,
		      const struct below *below, uint32_t count, uint64_t weight_ns)
{
	uint64_t kind = address_kind(address);
	uint32_t caller = kind == address ? callers_of(context, below) : 0;
	uint32_t index = entry_of(context, kind, caller);
	struct segment_sample *entry;

	weight_ns = told_ns(context, weight_ns);
	context->lane->sample_count += count;
	if (kind == SEGMENT_SAMPLE_HOOKS)
		context->samples.hook_count += count;
	context->lane->sampled_ns += weight_ns;
	if (!index)
		index = entry_of(context, SEGMENT_SAMPLE_FOLDED, 0);
	if (!index) {
		context->lane->lost_sample_ns += weight_ns;
		return;
	}
	entry = (struct segment_sample *)arrays_entries(context->lane,
							&context->lane->samples) +
		index;
	entry->count += count;
	entry->weight_ns += weight_ns;
}

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
		context->lane->kernel_ns +=
			told_ns(context, passed_ns - samples->period_ns);
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
	now_ns = clock_ask(CLOCK_THREAD_CPUTIME_ID);
	gate_leave();
	if (samples->opened_cpu_ns == UINT64_MAX || now_ns == UINT64_MAX ||
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
