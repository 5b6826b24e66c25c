/* SPDX-License-Identifier: MIT */
/* The tables of locks. */
#include "shim/waits/locks.h"

#include "common/libc/calls.h"
#include "shim/core/process.h"
#include "shim/memory/shadow.h"
#include "shim/waits/holders.h"
#include "shim/waits/off_cpu.h"

/* How far before a lock the block begins that it may be in. */
#define BLOCK_REACH_BYTES 16384u

void locks_begin_lane(struct lane_context *context)
{
	context->has_nap = 0;
	context->locks.held_count = 0;
	for (uint32_t i = 0; i < LANE_LOCKS_HELD; i++)
		context->locks.held[i].lock = 0;
	holders_begin_lane(context);
}

void locks_end_lane(const struct lane_context *context)
{
	holders_end_lane(context);
}

static struct segment_lock_wait *waits_of(const struct lane_context *context)
{
	return arrays_entries(context->lane, &context->lane->lock_waits);
}

/* Every word that names a wait goes in, the lock's most of all. */
static uint32_t wait_hash(const struct segment_lock_wait *wait)
{
	uint64_t hash = (uint64_t)wait->lock << 32 | wait->node;

	hash = hash * 0x9e3779b97f4a7c15ull ^ wait->holder_node;
	hash = hash * 0x9e3779b97f4a7c15ull ^ wait->taken_node ^
	       (uint64_t)wait->holder_slot << 32;
	return (uint32_t)(hash * 0x9e3779b97f4a7c15ull >> 54);
}

/* What another thread, or the process before in these slots, has left in the lane. */
static void list_all(struct lane_context *context)
{
	struct lane_locks *locks = &context->locks;
	struct segment_lane *lane = context->lane;
	struct segment_lock_wait *waits = waits_of(context);

	locks->is_known = 1;
	locks->all = arrays_entries(lane, &lane->locks);
	for (uint32_t i = 1; i < arrays_count(&lane->locks); i++) {
		uint32_t hash = lock_list_hash(locks->all[i].address);

		locks->all[i].hash_next = context->lock_heads[hash];
		context->lock_heads[hash] = i;
	}
	for (uint32_t i = 1; i < arrays_count(&lane->lock_waits); i++) {
		uint32_t hash = wait_hash(&waits[i]);

		waits[i].hash_next = context->lock_wait_heads[hash];
		context->lock_wait_heads[hash] = i;
	}
}

/* A new entry of an array of the lane, which a handler may do in the middle of it: the
 * number is taken first. 0: no room. */
static uint32_t new_entry(struct lane_context *context, enum array_number number,
			  struct segment_array *array)
{
	uint32_t index = __atomic_load_n(&array->count, __ATOMIC_RELAXED);

	index = index ? index : 1;
	if (index >= array->capacity ||
	    process_grow(context->lane, context->slot, number, index + 2) < 0)
		return 0;
	if (!__atomic_load_n(&array->count, __ATOMIC_RELAXED))
		__atomic_store_n(&array->count, 1, __ATOMIC_RELAXED);
	index = __atomic_fetch_add(&array->count, 1, __ATOMIC_RELEASE);
	return index < array->committed ? index : 0;
}

/* The block of the heap that the lock lies in, as it is live and not the parent's. */
static void find_block(struct segment_lock *lock)
{
	struct shadow_block block;
	uintptr_t start;
	uint32_t site;

	if (!shadow_around(lock->address, BLOCK_REACH_BYTES, &start, &block))
		return;
	site = block.site - process->site_bias;
	if (!block.site || block.site == SHADOW_SITE_TOOL ||
	    block.site < process->site_floor || site >= process->site_next)
		return;
	lock->block_site = site;
	lock->block_offset = lock->address - start;
}

static struct segment_lock *add_lock(struct lane_context *context, uintptr_t address,
				     enum segment_lock_kind kind)
{
	struct segment_lane *lane = context->lane;
	uint32_t index = new_entry(context, ARRAY_LOCKS, &lane->locks);
	uint32_t *head = &context->lock_heads[lock_list_hash(address)];
	struct segment_lock *lock;

	if (!index)
		return NULL;
	lock = &context->locks.all[index];
	*lock = (struct segment_lock){
		.kind = kind,
		.first_ticks = clock_now(),
		.first_node = context->current,
		.taken_node = context->current,
		.hash_next = *head,
	};
	lock->address = address;
	find_block(lock);
	*head = index;
	return lock;
}

/* The program's, and recorded. */
static struct lane_context *own_context(void)
{
	struct lane_context *context = lane_own();

	if (!context || !process_is_ready() || paused_is_on() || context->own_work ||
	    context->is_vforking)
		return NULL;
	if (!context->locks.is_known)
		list_all(context);
	return context;
}

/* The thread's entry for the lock; NULL: there is no room, which is counted. */
static struct segment_lock *own_lock(struct lane_context *context, uintptr_t address,
				     enum segment_lock_kind kind)
{
	struct segment_lock *lock = lock_list_find(context, address);

	lock = lock ? lock : add_lock(context, address, kind);
	if (!lock)
		context->lane->folded_lock_count++;
	return lock;
}

cold struct segment_lock *locks_count_slow(uintptr_t address, enum segment_lock_kind kind)
{
	struct lane_context *context = own_context();
	struct segment_lock *lock = context ? own_lock(context, address, kind) : NULL;

	if (!lock)
		return NULL;
	lock->lock_count++;
	lock->taken_node = context->current;
	return lock;
}

/* Whose the lock is, if it says so; else it may be one of those that have it. */
static void find_holder(struct locks_wait *wait, uintptr_t address,
			enum segment_lock_kind kind, const int *owner)
{
	if (owner && __atomic_load_n(owner, __ATOMIC_RELAXED))
		holders_find_owner(&wait->holder, address, owner);
	else if (kind == SEGMENT_LOCK_RWLOCK || kind == SEGMENT_LOCK_SPIN)
		holders_find_sharer(&wait->holder, address);
}

void locks_begin_wait(struct locks_wait *wait, const volatile void *address,
		      enum segment_lock_kind kind, const int *owner)
{
	struct lane_context *context = own_context();
	struct segment_lock *lock;
	uint64_t since;

	*wait = (struct locks_wait){.lock = 0};
	off_cpu_book_switch(context);
	since = clock_now();
	lock = context ? own_lock(context, (uintptr_t)address, kind) : NULL;
	if (!lock)
		return;
	wait->lock = (uint32_t)(lock - context->locks.all);
	wait->slot = context->slot;
	wait->node = context->current;
	find_holder(wait, (uintptr_t)address, kind, owner);
	off_cpu_leave_out(context, since);
	wait->start_ticks = clock_now();
}

void locks_begin_join(struct locks_wait *wait)
{
	locks_begin_wait(wait, (const volatile void *)(uintptr_t)SEGMENT_LOCK_OF_THREADS,
			 SEGMENT_LOCK_ENDING, NULL);
}

static int is_same(const struct segment_lock_wait *a, const struct segment_lock_wait *b)
{
	return a->lock == b->lock && a->node == b->node &&
	       a->holder_slot == b->holder_slot && a->holder_node == b->holder_node &&
	       a->taken_node == b->taken_node;
}

static struct segment_lock_wait *own_wait(struct lane_context *context,
					  const struct segment_lock_wait *of)
{
	uint32_t *head = &context->lock_wait_heads[wait_hash(of)], index = *head;
	struct segment_lock_wait *waits = waits_of(context);
	uint32_t steps = LOCK_LIST_MOST;

	for (; index && steps; index = waits[index].hash_next, steps--)
		if (is_same(&waits[index], of))
			return &waits[index];
	index = new_entry(context, ARRAY_LOCK_WAITS, &context->lane->lock_waits);
	if (!index)
		return NULL;
	waits[index] = *of;
	waits[index].hash_next = *head;
	*head = index;
	return &waits[index];
}

static void add_to_matrix(struct lane_context *context, const struct locks_wait *wait,
			  uint64_t ticks)
{
	const struct segment_lock_wait of = {
		.lock = wait->lock,
		.node = wait->node,
		.holder_slot = wait->holder.slot,
		.holder_node = wait->holder.node,
		.taken_node = wait->holder.taken_node,
	};
	struct segment_lock_wait *to = own_wait(context, &of);

	if (!to) {
		context->lane->folded_lock_count++;
		return;
	}
	to->count++;
	to->ticks += ticks;
	if (ticks > to->longest_ticks)
		to->longest_ticks = ticks;
}

/* How long the waits for this lock were, or NULL. */
static struct segment_function *times_of(struct lane_context *context,
					 struct segment_lock *lock)
{
	struct segment_lane *lane = context->lane;
	struct segment_function *times = arrays_entries(lane, &lane->lock_times);

	if (!lock->times) {
		lock->times = new_entry(context, ARRAY_LOCK_TIMES, &lane->lock_times);
		if (lock->times)
			times[lock->times].key = lock->address;
	}
	return lock->times ? &times[lock->times] : NULL;
}

static void begin_hold(struct lane_context *context, uint32_t lock, uint64_t now)
{
	struct lane_locks *locks = &context->locks;
	uint32_t place = LANE_LOCKS_HELD;

	for (uint32_t i = 0; i < LANE_LOCKS_HELD; i++) {
		if (!locks->held[i].lock && place == LANE_LOCKS_HELD)
			place = i;
		if (locks->held[i].lock != lock)
			continue;
		/* another thread has unlocked it, or its memory is another lock now */
		locks->held[i].since_ticks = now;
		return;
	}
	if (place == LANE_LOCKS_HELD)
		return;
	locks->held[place] = (struct lane_hold){lock, now};
	locks->held_count++;
}

static int is_signalled(uint32_t kind)
{
	return kind == SEGMENT_LOCK_CONDITION || kind == SEGMENT_LOCK_SEMAPHORE ||
	       kind == SEGMENT_LOCK_BARRIER;
}

static void end_wait(struct lane_context *context, struct locks_wait *wait, uint64_t now,
		     int has_it)
{
	struct segment_lock *lock = &context->locks.all[wait->lock];
	uint64_t ticks = now - wait->start_ticks;
	struct segment_function *times;

	if (has_it && is_signalled(lock->kind))
		holders_find_signaller(&wait->holder, lock->address);
	if (lock->kind == SEGMENT_LOCK_BARRIER && wait->holder.slot == wait->slot)
		return; /* the last to come, for whom the others have waited */
	lock->wait_count++;
	lock->wait_ticks += ticks;
	if (ticks > lock->longest_wait_ticks)
		lock->longest_wait_ticks = ticks;
	times = times_of(context, lock);
	if (times)
		times->histogram[segment_histogram_bucket(ticks)]++;
	add_to_matrix(context, wait, ticks);
	stalls_add(context, &(struct segment_stall){
				    .begin_ticks = wait->start_ticks,
				    .end_ticks = now,
				    .kind = lock->kind,
				    .lock = wait->lock,
				    .node = wait->node,
				    .holder_slot = wait->holder.slot,
				    .holder_node = wait->holder.node,
				    .taken_node = wait->holder.taken_node,
			    });
	if (!has_it)
		return;
	lock->taken_node = wait->node;
	if (lock->kind == SEGMENT_LOCK_MUTEX)
		begin_hold(context, wait->lock, now);
}

/* Behind a sleep nothing of it is in the caches: 1 us that is not the caller's. */
void locks_end_wait(struct locks_wait *wait, int has_it)
{
	struct lane_context *context = wait->lock ? own_context() : NULL;
	uint64_t now = clock_now(), since;

	if (!context || context->slot != wait->slot ||
	    (int64_t)(now - wait->start_ticks) < 0)
		return;
	off_cpu_book_switch(context);
	since = clock_now();
	end_wait(context, wait, now, has_it);
	off_cpu_leave_out(context, since);
}

void locks_end_join(struct locks_wait *wait, uintptr_t thread, int has_ended)
{
	if (wait->lock && has_ended)
		holders_find_ended(&wait->holder, thread);
	locks_end_wait(wait, has_ended);
}

void locks_begin_signal_wait(struct locks_wait *wait)
{
	locks_begin_wait(wait, (const volatile void *)(uintptr_t)SEGMENT_LOCK_OF_SIGNALS,
			 SEGMENT_LOCK_SIGNAL, NULL);
}

void locks_end_signal_wait(struct locks_wait *wait, int signal)
{
	if (wait->lock && signal >= SENDERS_ANY)
		senders_find_signal(&wait->holder, signal, wait->start_ticks);
	locks_end_wait(wait, signal >= SENDERS_ANY);
}

cold void locks_end_hold(uintptr_t address)
{
	struct lane_context *context = own_context();
	struct lane_locks *locks = context ? &context->locks : NULL;

	for (uint32_t i = 0; locks && i < LANE_LOCKS_HELD; i++) {
		struct segment_lock *lock = &locks->all[locks->held[i].lock];
		uint64_t ticks;

		if (!locks->held[i].lock || lock->address != address)
			continue;
		ticks = clock_now() - locks->held[i].since_ticks;
		lock->hold_count++;
		lock->hold_ticks += ticks;
		if (ticks > lock->longest_hold_ticks)
			lock->longest_hold_ticks = ticks;
		locks->held[i].lock = 0;
		locks->held_count--;
		return;
	}
}
