/* SPDX-License-Identifier: MIT */
/* Looks into other lanes, and into the tables that whoever signals or sends leaves its
 * lane in. */
#include "shim/waits/holders.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"

/* Lanes by the last bits of their threads' ids. A child's are its parent's, whose
 * contexts it finds wiped. */
#define LANES_KEPT 1024u
static struct lane_context *lanes_by_tid[LANES_KEPT];

/* How many lanes are looked at when another one has the place. */
#define SEARCH_MOST 512u

/* How many are asked whether they have a lock: each is a cache miss or two. */
#define ASK_MOST 64u

/* How many paths of an ended thread. */
#define NODES_MOST 256u

uint64_t holders_signals[LANE_LOCK_HEADS];

static struct lane_context *first_lane(void)
{
	/* acquire: pairs with the release of who put it there */
	return __atomic_load_n(&process->lanes, __ATOMIC_ACQUIRE);
}

static races_by_design int32_t tid_of(const struct lane_context *context)
{
	return __atomic_load_n(&context->tid, __ATOMIC_RELAXED);
}

static void note(struct lane_context *context)
{
	int32_t tid = tid_of(context);

	if (tid)
		__atomic_store_n(&lanes_by_tid[(uint32_t)tid % LANES_KEPT], context,
				 __ATOMIC_RELEASE);
}

/* The only lane is found without the table, whose page a forked child would have to copy:
 * the second one notes both. */
void holders_begin_lane(struct lane_context *context)
{
	struct lane_context *first = first_lane(),
			    *second = first ? first->next_lane : NULL;

	if (!second)
		return;
	note(context);
	if (!second->next_lane) {
		note(first);
		note(second);
	}
}

static int is_of(const struct lane_context *context, int32_t tid)
{
	return context && tid_of(context) == tid;
}

/* The lane that this thread has. */
static races_by_design struct lane_context *find_lane(int32_t tid)
{
	/* acquire: pairs with the release of the lane's begin */
	struct lane_context *context = __atomic_load_n(
		&lanes_by_tid[(uint32_t)tid % LANES_KEPT], __ATOMIC_ACQUIRE);
	uint32_t steps = SEARCH_MOST;

	if (is_of(context, tid))
		return context;
	context = first_lane();
	for (; context && steps; context = context->next_lane, steps--)
		if (is_of(context, tid))
			return context;
	return NULL;
}

static races_by_design uint32_t node_of(const struct lane_context *holder)
{
	return __atomic_load_n(&holder->current, __ATOMIC_RELAXED);
}

static races_by_design const struct segment_lock *
lock_of(const struct lane_context *holder, uintptr_t address)
{
	return holder->locks.is_known ? lock_list_find(holder, address) : NULL;
}

static races_by_design uint32_t node_where_taken(const struct segment_lock *lock)
{
	return lock ? __atomic_load_n(&lock->taken_node, __ATOMIC_RELAXED) : 0;
}

/* Where it is, and where it took the lock. */
static races_by_design struct holder look_at(const struct lane_context *holder,
					     const struct segment_lock *lock)
{
	const struct holder seen = {.slot = holder->slot,
				    .node = node_of(holder),
				    .taken_node = node_where_taken(lock)};

	/* acquire: what was read before was read before */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return seen;
}

races_by_design void holders_find_owner(struct holder *ret, uintptr_t address,
					const int *owner)
{
	int32_t tid = __atomic_load_n(owner, __ATOMIC_ACQUIRE);
	const struct lane_context *holder = tid > 0 ? find_lane(tid) : NULL;
	struct holder seen;

	if (!holder || !holder->frames)
		return;
	seen = look_at(holder, lock_of(holder, address));
	if (__atomic_load_n(owner, __ATOMIC_RELAXED) == tid && is_of(holder, tid))
		*ret = seen;
}

static races_by_design int has_share(const struct lane_context *holder,
				     const struct segment_lock *lock)
{
	int32_t tid = tid_of(holder);

	return tid &&
	       __atomic_load_n(&lock->sharer_tid, __ATOMIC_RELAXED) == (uint32_t)tid &&
	       __atomic_load_n(&lock->share_count, __ATOMIC_RELAXED);
}

/* Is it this lane that has the lock? */
static races_by_design int ask(struct holder *ret, const struct lane_context *holder,
			       uintptr_t address)
{
	const struct segment_lock *lock = lock_of(holder, address);
	struct holder seen;

	if (!lock || !has_share(holder, lock))
		return 0;
	seen = look_at(holder, lock);
	if (!has_share(holder, lock))
		return 0;
	*ret = seen;
	return 1;
}

void holders_find_sharer(struct holder *ret, uintptr_t address)
{
	const struct lane_context *context = first_lane();
	uint32_t steps = ASK_MOST;

	for (; context && steps; context = context->next_lane, steps--)
		if (context != lane_self && context->frames && ask(ret, context, address))
			return;
}

/* As holders_signals, of threads that have ended. Some signal and end at once: whom they
 * woke looks later, and would find the end where the signal was. */
static uint64_t ends[LANE_LOCK_HEADS];

static void find_word(struct holder *ret, const uint64_t *words, uintptr_t address)
{
	uint64_t word =
		__atomic_load_n(&words[lock_list_hash(address)], __ATOMIC_RELAXED);

	if (holders_is_word_of(word, address))
		holders_take_word(ret, word);
}

void holders_find_signaller(struct holder *ret, uintptr_t address)
{
	find_word(ret, holders_signals, address);
}

void holders_find_ended(struct holder *ret, uintptr_t thread)
{
	find_word(ret, ends, thread);
}

/* The outermost frame's path, though it is closed: those that begin a stack are made
 * early. */
static uint32_t first_node(const struct lane_context *context)
{
	const struct segment_frame *first = context->native.frames;
	uint32_t count = arrays_count(&context->lane->nodes);

	for (uint32_t i = LANE_ROOT + 1; first && i < count && i < NODES_MOST; i++)
		if (context->nodes[i].parent == LANE_ROOT &&
		    context->nodes[i].key == first->function)
			return i;
	return LANE_ROOT;
}

void holders_end_lane(const struct lane_context *context)
{
	uintptr_t thread = (uintptr_t)__builtin_thread_pointer();
	uint64_t word = holders_word(context, thread, first_node(context));

	if (word && !paused_is_on())
		__atomic_store_n(&ends[lock_list_hash(thread)], word, __ATOMIC_RELAXED);
}

struct sender senders[LANE_LOCK_HEADS];

/* The thread is about to send, if it is recorded. */
static void senders_note(uintptr_t key)
{
	const struct lane_context *context = lane_own();

	if (context && process_is_ready() && !context->is_vforking && !paused_is_on() &&
	    !context->own_work)
		senders_put(context, context->current, key, clock_now());
}

/* The latest who has sent by one of the keys since then, and not after it. Does nothing
 * when nobody has. */
static void senders_find(struct holder *ret, const uintptr_t *keys, uint32_t count,
			 uint64_t since_ticks, uint64_t until_ticks)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct sender *sender = &senders[lock_list_hash(keys[i])];
		uint64_t word = __atomic_load_n(&sender->word, __ATOMIC_RELAXED);
		uint64_t ticks = __atomic_load_n(&sender->ticks, __ATOMIC_RELAXED);

		if ((int64_t)(ticks - since_ticks) < 0 ||
		    (int64_t)(until_ticks - ticks) < 0 ||
		    !holders_is_word_of(word, keys[i]))
			continue;
		holders_take_word(ret, word);
		since_ticks = ticks;
	}
}

void senders_note_process(int signal)
{
	senders_note(senders_key_of_process(SENDERS_ANY));
	senders_note(senders_key_of_process(signal));
}

void senders_note_thread(uintptr_t thread, int signal)
{
	senders_note(senders_key_of_thread(thread, SENDERS_ANY));
	senders_note(senders_key_of_thread(thread, signal));
}

void senders_note_tid(int32_t tid, int signal)
{
	senders_note(senders_key_of_tid(tid, SENDERS_ANY));
	senders_note(senders_key_of_tid(tid, signal));
}

void senders_find_signal(struct holder *ret, int signal, uint64_t since_ticks)
{
	const struct lane_context *context = lane_own();
	const uintptr_t keys[] = {
		senders_key_of_process(signal),
		senders_key_of_thread((uintptr_t)__builtin_thread_pointer(), signal),
		senders_key_of_tid(context ? context->tid : 0, signal),
	};

	senders_find(ret, keys, sizeof(keys) / sizeof(keys[0]), since_ticks, clock_now());
}

/* One of every 2^thinning windows is kept by who adds from now on. A forked child begins
 * where its parent was. */
static uint32_t thinning;

/* Who is about to write may have to wait for a CPU first, its word left. */
#define SENT_BEFORE_TICKS clock_tenth_of_second()

static struct segment_stall *all_of(const struct lane_context *context)
{
	return arrays_entries(context->lane, &context->lane->stalls);
}

/* Drops what is not in the windows that are left. */
static void thin(struct lane_context *context, uint32_t to)
{
	struct segment_lane *lane = context->lane;
	struct segment_stall *all = all_of(context);
	uint32_t count = arrays_count(&lane->stalls), kept = 1;

	__atomic_store_n(&lane->stall_thinning, to, __ATOMIC_RELAXED);
	context->has_nap = 0; /* its number is another one's */
	for (uint32_t i = 1; i < count; i++)
		if (segment_stall_is_kept(&all[i], to))
			all[kept++] = all[i];
	arrays_publish(&lane->stalls, kept);
}

/* Of all threads: at least as thin as one of them needs. */
static uint32_t raise_thinning(uint32_t from)
{
	uint32_t now = from + 1;

	if (!__atomic_compare_exchange_n(&thinning, &from, now, 0, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		now = from;
	return now;
}

/* The number of a new entry, which has its page; 0: there is no room. */
static uint32_t make_room(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct segment_array *array = &lane->stalls;
	uint32_t to = __atomic_load_n(&thinning, __ATOMIC_RELAXED), number;

	if (lane->stall_thinning < to)
		thin(context, to);
	if (array->count >= array->capacity)
		while (array->count > array->capacity / 2 &&
		       to < SEGMENT_STALL_THINNING_MOST)
			thin(context, to = raise_thinning(to));
	number = array->count ? array->count : 1;
	if (process_grow(lane, context->slot, ARRAY_STALLS, number + 1) < 0)
		return 0;
	return number < array->committed ? number : 0;
}

static int append(struct lane_context *context, const struct segment_stall *stall)
{
	uint32_t number = make_room(context);

	if (!number)
		return -1;
	if (!segment_stall_is_kept(stall, context->lane->stall_thinning))
		return 0;
	all_of(context)[number] = *stall;
	arrays_publish(&context->lane->stalls, number + 1);
	return 0;
}

void stalls_add(struct lane_context *context, const struct segment_stall *stall)
{
	int result = -1;

	if (busy_take(context, BUSY_STALLS, (uintptr_t)__builtin_frame_address(0))) {
		result = append(context, stall);
		busy_give(context, BUSY_STALLS);
	}
	if (result < 0)
		context->lane->lost_stall_count++;
}

static int is_sleep(enum libc_call call)
{
	return call == LIBC_CALL_nanosleep || call == LIBC_CALL_clock_nanosleep ||
	       call == LIBC_CALL_usleep || call == LIBC_CALL_sleep ||
	       call == LIBC_CALL_thrd_sleep;
}

cold void stalls_add_nap(struct lane_context *context, uint32_t node, enum libc_call call,
			 uint64_t ticks, uint64_t blocked_ns)
{
	uint64_t now = clock_now(), slept = process_ticks_of(blocked_ns);

	context->has_nap = 0;
	if (!node || paused_is_on())
		return;
	context->nap = (struct segment_stall){
		.begin_ticks = now - (slept < ticks ? slept : ticks),
		.end_ticks = now,
		.kind = is_sleep(call) ? SEGMENT_LOCK_SLEEP : SEGMENT_LOCK_CALL,
		.node = node,
	};
	context->nap_number = 0;
	if (blocked_ns >= SEGMENT_NAP_NS) {
		uint32_t count = arrays_count(&context->lane->stalls);

		stalls_add(context, &context->nap);
		if (arrays_count(&context->lane->stalls) > count)
			context->nap_number = arrays_count(&context->lane->stalls) - 1;
	}
	context->has_nap = !is_sleep(call);
}

cold void stalls_settle_nap(struct lane_context *context, uintptr_t key)
{
	struct segment_stall *nap = &context->nap;
	struct holder sender = {.slot = 0};

	context->has_nap = 0;
	senders_find(&sender, &key, 1, nap->begin_ticks - SENT_BEFORE_TICKS,
		     nap->end_ticks);
	if (!sender.slot)
		return;
	nap->holder_slot = sender.slot;
	nap->holder_node = sender.node;
	if (!context->nap_number)
		stalls_add(context, nap);
	else if (!context->busy[BUSY_STALLS])
		all_of(context)[context->nap_number] = *nap;
}
