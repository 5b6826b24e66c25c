/* SPDX-License-Identifier: MIT */
/* Time without a CPU: asked for, and booked. */
#include "shim/waits/off_cpu.h"

#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <time.h>

#include "common/libc/calls.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/spans.h"
#include "shim/waits/switches.h"

/* A booking that took longer was interrupted: that time is the program's. */
#define OWN_TICKS_MOST (clock_tenth_of_second() >> 11) /* 49 us */

#define UNKNOWN UINT64_MAX

/* A thread that is stopped at each system call asks again when so many times as long has
 * passed as it took, at most 0.1 s. */
#define PUT_OFF_TIMES 16

/* Opening, reading and closing takes 2 us, and 60 us in a process that was forked just
 * now: the kernel makes its folder for that, and removes it again. */
#define READ_AFTER_NS 100000u

/* What a child that was forked longer ago has waited for a CPU is read. */
#define NEWBORN_TICKS (clock_tenth_of_second() >> 7) /* 0.8 ms */

static uint64_t birth_ticks written_in_children; /* 0: nobody was forked just now */

static int may_ask(void)
{
	return switches_source() && gate_enter();
}

/* How long the thread has waited for a CPU. UNKNOWN: not to be had. */
static uint64_t read_ready(void)
{
	return own_io_second_number("/proc/thread-self/schedstat");
}

static struct segment_thread *own_row(const struct lane_context *context)
{
	struct segment_thread *threads;

	if (context->thread == UINT32_MAX)
		return NULL;
	threads = arrays_entries(process->segment, &process->segment->threads);
	return &threads[context->thread];
}

static struct rusage read_switches(void)
{
	struct rusage usage;

	usage.ru_nvcsw = -1; /* where it cannot be asked */
	usage.ru_nivcsw = 0;
	SYSCALL(SYS_getrusage, RUSAGE_THREAD, &usage, 0, 0, 0, 0);
	return usage;
}

/* Where the kernel does not tell them apart, a switch may have been a sleep. */
static void count_switches(struct lane_off_cpu *off)
{
	struct rusage usage = read_switches();

	off->blocked_count =
		usage.ru_nvcsw < 0 ? off->blocked_count + 1 : (uint64_t)usage.ru_nvcsw;
	off->preempted_count = (uint64_t)usage.ru_nivcsw;
}

/* The clocks at one moment: a thread that is switched out between two of them reads them
 * again. Of those that are found busy each time the machine knows better. */
#define READINGS_MOST 4

struct reading {
	uint64_t ticks, wall_ns, cpu_ns;
	uint64_t ready_ns; /* UNKNOWN: was not asked for, or is not to be had */
};

static struct reading read_clocks(struct lane_context *context, int with_ready)
{
	struct reading now = {.ready_ns = UNKNOWN};

	for (int i = 0; i < READINGS_MOST; i++) {
		switches_arm(context);
		if (with_ready)
			now.ready_ns = read_ready();
		now.ticks = clock_now();
		now.wall_ns = clock_monotonic();
		now.cpu_ns = clock_ask(CLOCK_THREAD_CPUTIME_ID);
		if (!switches_has_been(context))
			break;
	}
	return now;
}

/* For those who take snapshots, see struct segment_lane. The time last: who finds it
 * unchanged has the other, too. */
static void publish(const struct lane_context *context, uint64_t wall_ns)
{
	const struct lane_off_cpu *off = &context->off_cpu;
	struct segment_lane *lane = context->lane;

	lane->booked_cpu_ns = off->base_cpu_ns == UNKNOWN ? 0 : off->base_cpu_ns;
	__asm__ volatile("" : : : "memory");
	lane->booked_wall_ns = wall_ns;
}

void off_cpu_note_birth(uint64_t ticks)
{
	birth_ticks = ticks;
}

/* How long the thread has waited for a CPU so far, when it was forked just now: since
 * then it has computed or waited. What its parent took to make it is in that, too.
 * UNKNOWN: that is not so. */
static uint64_t ready_since_birth(const struct reading *now)
{
	uint64_t ticks = now->ticks - birth_ticks, ns;

	if (!birth_ticks || ticks > NEWBORN_TICKS || now->cpu_ns == UNKNOWN)
		return UNKNOWN;
	ns = (uint64_t)((double)ticks * 1e9 / process_facts.run->ticks_per_second);
	return ns > now->cpu_ns ? ns - now->cpu_ns : 0;
}

/* Returns when. */
static uint64_t start(struct lane_context *context)
{
	struct lane_off_cpu *off = &context->off_cpu;
	struct reading now = read_clocks(context, 0);

	now.ready_ns = ready_since_birth(&now);
	if (now.ready_ns == UNKNOWN)
		now = read_clocks(context, 1);
	count_switches(off);
	off->base_off_ns = now.wall_ns - now.cpu_ns;
	off->base_cpu_ns = now.cpu_ns;
	off->base_ready_ns = now.ready_ns;
	off->unread_ns = 0;
	publish(context, now.wall_ns);
	return now.ticks;
}

void off_cpu_begin(struct lane_context *context)
{
	struct lane_off_cpu *off = &context->off_cpu;
	struct segment_thread *row = own_row(context);
	uint64_t start_ticks;

	off->put_off_until_ticks = 0;
	process->segment->switch_source = switches_source();
	context->lane->booked_cpu_ns = 0;
	context->lane->tid = context->tid;
	if (!may_ask())
		return;
	start_ticks = start(context);
	off->begin_cpu_ns = off->base_cpu_ns;
	off->begin_ready_ns = off->base_ready_ns;
	if (row) {
		row->start_ticks = start_ticks;
		row->cpu_ns = row->off_ns = 0;
		row->begin_cpu_ns = off->begin_cpu_ns == UNKNOWN ? 0 : off->begin_cpu_ns;
		row->begin_ready_ns =
			off->begin_ready_ns == UNKNOWN ? 0 : off->begin_ready_ns;
	}
	gate_leave();
}

void off_cpu_skip(struct lane_context *context)
{
	if (!may_ask())
		return;
	start(context);
	gate_leave();
}

/* What the current path has of it; entry 0 where there is no room. */
static struct segment_wait *current_wait(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct segment_node *node = &context->nodes[context->current];
	struct segment_wait *waits = arrays_entries(lane, &lane->waits);
	uint32_t next = lane->waits.count ? lane->waits.count : 1;

	if (node->wait)
		return &waits[node->wait];
	if (process_grow(lane, context->slot, ARRAY_WAITS, next + 1) < 0)
		return lane->waits.committed ? &waits[0] : NULL;
	arrays_publish(&lane->waits, next + 1);
	node->wait = next;
	return &waits[next];
}

static void note_recent(struct lane_context *context, uint64_t ready_ns,
			uint64_t blocked_ns)
{
	struct lane_recent_waits *recent = &context->recent_waits;
	uint64_t last = (recent->count - 1) % LANE_RECENT_WAITS;

	if (!recent->count || recent->all[last].node != context->current ||
	    recent->all[last].mark != recent->mark_count) {
		last = recent->count++ % LANE_RECENT_WAITS;
		recent->all[last].node = context->current;
		recent->all[last].mark = recent->mark_count;
		recent->all[last].ready_ns = recent->all[last].blocked_ns = 0;
	}
	recent->all[last].ready_ns += ready_ns;
	recent->all[last].blocked_ns += blocked_ns;
	context->off_cpu.ready_ns += ready_ns;
	context->off_cpu.blocked_ns += blocked_ns;
}

static void add(struct lane_context *context, uint64_t ready_ns, uint64_t blocked_ns,
		uint64_t blocked_count)
{
	struct segment_wait *wait = current_wait(context);

	spans_note_frames(context);
	note_recent(context, ready_ns, blocked_ns);
	if (!wait) {
		context->lane->lost_wait_ns += ready_ns + blocked_ns;
		return;
	}
	wait->ready_ns += ready_ns;
	wait->blocked_ns += blocked_ns;
	wait->blocked_count += blocked_count;
}

/* How much of the time without a CPU the thread was ready: it slept, too. */
static uint64_t ready_part(const struct lane_off_cpu *off, const struct reading *now,
			   uint64_t off_ns)
{
	uint64_t part;

	if (now->ready_ns == UNKNOWN || off->base_ready_ns == UNKNOWN)
		return 0;
	part = now->ready_ns > off->base_ready_ns ? now->ready_ns - off->base_ready_ns
						  : 0;
	return part < off_ns ? part : off_ns;
}

/* What the reading is good for the next time. What a thread was ready in sleeps that were
 * not read is left to the collector, which knows the whole. */
static void keep_ready(struct lane_off_cpu *off, const struct reading *now,
		       uint64_t ready_ns, uint64_t blocked_ns)
{
	if (now->ready_ns != UNKNOWN) {
		off->base_ready_ns = now->ready_ns;
		off->unread_ns = 0;
		return;
	}
	if (off->base_ready_ns != UNKNOWN)
		off->base_ready_ns += ready_ns;
	off->unread_ns += blocked_ns;
}

static int64_t without_cpu(const struct lane_off_cpu *off, const struct reading *now)
{
	if (now->cpu_ns == UNKNOWN || off->base_cpu_ns == UNKNOWN)
		return 0;
	return (int64_t)(now->wall_ns - now->cpu_ns - off->base_off_ns);
}

/* Whose it is. The recorder's work is in no call's time. */
enum booking { OF_PATH, OF_PATH_AT_END, OF_OWN_WORK };

/* Is there enough to know how much of it the thread was ready? slept: in this time, or,
 * at the end, ever. */
static int is_worth_reading(const struct lane_off_cpu *off, int64_t off_ns, int slept,
			    enum booking booking)
{
	uint64_t unread_ns = off->unread_ns + (off_ns > 0 ? (uint64_t)off_ns : 0);

	if (booking == OF_PATH_AT_END)
		return unread_ns >= READ_AFTER_NS;
	return slept && off_ns > 0 && __libc_single_threaded &&
	       unread_ns >= READ_AFTER_NS;
}

/* Up to when, and what was booked. */
struct booked {
	struct reading until;
	uint64_t off_ns;
};

static struct booked book(struct lane_context *context, enum booking booking)
{
	struct lane_off_cpu *off = &context->off_cpu;
	uint64_t blocked = off->blocked_count, ready_ns;
	struct segment_thread *row = own_row(context);
	struct reading now;
	int64_t off_ns;

	count_switches(off);
	blocked = off->blocked_count - blocked;
	now = read_clocks(context, 0);
	off_ns = without_cpu(off, &now);
	if (is_worth_reading(off, off_ns, blocked != 0, booking)) {
		now = read_clocks(context, 1);
		off_ns = without_cpu(off, &now);
	}
	if (off_ns <= 0) { /* a signal, or a clock that is a little ahead: next time */
		off->blocked_count -= blocked;
		return (struct booked){now, 0};
	}
	ready_ns = blocked ? ready_part(off, &now, (uint64_t)off_ns) : (uint64_t)off_ns;
	keep_ready(off, &now, ready_ns, (uint64_t)off_ns - ready_ns);
	off->base_off_ns = now.wall_ns - now.cpu_ns;
	off->base_cpu_ns = now.cpu_ns;
	publish(context, now.wall_ns);
	if (booking != OF_OWN_WORK)
		add(context, ready_ns, (uint64_t)off_ns - ready_ns, blocked);
	if (row) {
		row->cpu_ns = now.cpu_ns - off->begin_cpu_ns;
		row->off_ns += (uint64_t)off_ns;
	}
	return (struct booked){now, (uint64_t)off_ns};
}

static int is_put_off(struct lane_context *context)
{
	uint64_t until = context->off_cpu.put_off_until_ticks;

	if (likely(!until) || (int64_t)(clock_now() - until) >= 0)
		return 0;
	switches_arm(context);
	process_count(SEGMENT_COUNTER_UNASKED_SWITCHES, 1);
	return 1;
}

/* Each reading of a booking was switched out: did the thread sleep as often? */
static cold void find_stops(struct lane_off_cpu *off, uint64_t since)
{
	struct rusage usage = read_switches();
	uint64_t now = clock_now(), ticks = (now - since) * PUT_OFF_TIMES;

	if (usage.ru_nvcsw < 0 ||
	    (uint64_t)usage.ru_nvcsw - off->blocked_count < READINGS_MOST)
		return;
	if (ticks > clock_tenth_of_second())
		ticks = clock_tenth_of_second();
	off->put_off_until_ticks = now + ticks;
}

/* Sets what was booked. 0: not now. */
static int ask_and_book(struct lane_context *context, enum booking booking,
			struct booked *ret)
{
	uint64_t begin;

	/* a handler, in the middle of it; or a child in its parent's memory */
	if (context->is_vforking || is_put_off(context) ||
	    !busy_take(context, BUSY_OFF_CPU, (uintptr_t)__builtin_frame_address(0)))
		return 0;
	switches_arm(context);
	if (may_ask()) {
		begin = clock_now();
		*ret = book(context, booking);
		if (unlikely(switches_has_been(context)))
			find_stops(&context->off_cpu, begin);
		gate_leave();
	}
	busy_give(context, BUSY_OFF_CPU);
	return 1;
}

static void leave_out_booking(struct lane_context *context, uint64_t since)
{
	struct lane_off_cpu *off = &context->off_cpu;
	uint64_t now = clock_now();

	if (now - since < OWN_TICKS_MOST) {
		off->booking_ticks = now - since;
		lane_leave_out(context, since, now);
	} else if (off->booking_ticks) {
		lane_leave_out(context, now - off->booking_ticks, now);
	}
}

/* Who is switched out again after the clocks were read would be so on the path that the
 * hook makes the current one, while the time is this one's: once more. Who was
 * interrupted in a booking has that time on this path, too: the call that a hook closes
 * ends after it. */
cold uint64_t off_cpu_book(struct lane_context *context)
{
	uint64_t begin = clock_now();
	struct booked booked;

	for (int i = 0; i < READINGS_MOST; i++) {
		uint64_t since = clock_now();

		if (!ask_and_book(context, OF_PATH, &booked))
			break;
		leave_out_booking(context, since);
		if (!switches_has_been(context))
			break;
	}
	return clock_now() - begin;
}

/* The recorder's work is CPU time, what others had of it meanwhile is not: that is left
 * out of the calls, and not counted as the recorder's. */
static cold uint64_t leave_out_switched(struct lane_context *context, uint64_t since)
{
	struct booked booked = {.until = {.ticks = 0}};
	uint64_t ticks, off_ticks;

	if (!ask_and_book(context, OF_OWN_WORK, &booked) || !booked.until.ticks)
		booked.until.ticks = clock_now();
	ticks = lane_leave_out(context, since, booked.until.ticks);
	off_ticks = process_ticks_of(booked.off_ns);
	context->lane->left_out_ticks -= off_ticks < ticks ? off_ticks : ticks;
	return ticks;
}

/* The clock comes first: who is switched out behind the question would be so in work that
 * is left out. */
uint64_t off_cpu_leave_out(struct lane_context *context, uint64_t since)
{
	uint64_t now = clock_behind();

	return unlikely(switches_has_been(context)) ? leave_out_switched(context, since)
						    : lane_leave_out(context, since, now);
}

uint64_t off_cpu_note_thread(struct lane_context *context)
{
	struct segment_thread *row = own_row(context);
	struct lane_off_cpu *off = &context->off_cpu;
	struct reading now;
	uint64_t ready_ns;

	if (!row || context->is_vforking ||
	    !busy_take(context, BUSY_OFF_CPU, (uintptr_t)__builtin_frame_address(0)))
		return clock_now();
	if (!may_ask()) {
		busy_give(context, BUSY_OFF_CPU);
		return clock_now();
	}
	now = book(context, OF_PATH_AT_END).until;
	busy_give(context, BUSY_OFF_CPU);
	if (now.cpu_ns != UNKNOWN && off->begin_cpu_ns != UNKNOWN)
		row->cpu_ns = now.cpu_ns - off->begin_cpu_ns;
	ready_ns = now.ready_ns != UNKNOWN ? now.ready_ns : off->base_ready_ns;
	if (ready_ns != UNKNOWN && off->begin_ready_ns != UNKNOWN)
		row->ready_ns = ready_ns > off->begin_ready_ns
					? ready_ns - off->begin_ready_ns
					: 0;
	gate_leave();
	return now.ticks;
}

uint64_t off_cpu_note_ending(struct lane_context *context)
{
	struct segment_thread *row = own_row(context);

	if (row)
		row->has_ended_process = 1;
	return off_cpu_note_thread(context);
}
