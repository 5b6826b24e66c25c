/* SPDX-License-Identifier: MIT */
/* The table of descriptors: pieces that are mapped when they are needed. */
#include "shim/io/descriptors.h"

#include "shim/core/process.h"
#include "shim/lane/busy.h"

#define PIECE_COUNT 64u
#define PIECE_ENTRIES 1024u

/* Of memory that fork wipes: a child knows nothing of its descriptors, and has room. */
static struct descriptor *pieces[PIECE_COUNT];

static struct descriptor *piece_of(uint32_t number)
{
	/* acquire: pairs with the release in make_once() */
	return __atomic_load_n(&pieces[number / PIECE_ENTRIES], __ATOMIC_ACQUIRE);
}

/* In memory that fork wipes; where another thread was faster, what that has made. */
static cold void *make_once(void *place, uint64_t size)
{
	void *made = process_map(size, 1), *there = NULL;

	/* release: the memory is there */
	if (made && !__atomic_compare_exchange_n((void **)place, &there, made, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		process_unmap(made, size);
		return there;
	}
	if (made)
		process_count(SEGMENT_COUNTER_TOOL_BYTES, size);
	return made;
}

static inline struct descriptor *entry_of(int descriptor, int is_made)
{
	uint32_t number = (uint32_t)descriptor;
	struct descriptor *piece;

	if (number >= PIECE_COUNT * PIECE_ENTRIES)
		return NULL;
	piece = piece_of(number);
	if (is_made && unlikely(!piece))
		piece = make_once(&pieces[number / PIECE_ENTRIES],
				  PIECE_ENTRIES * sizeof(struct descriptor));
	return piece ? &piece[number % PIECE_ENTRIES] : NULL;
}

on_short_calls struct descriptor *descriptors_at(int descriptor)
{
	return entry_of(descriptor, 1);
}

on_short_calls struct descriptor *descriptors_known(int descriptor)
{
	return entry_of(descriptor, 0);
}

static int is_another_process(void)
{
	const struct lane_context *context = lane_self;

	return context && context->is_vforking;
}

on_short_calls void descriptors_forget(int descriptor)
{
	struct descriptor *known = descriptors_known(descriptor);

	if (known && !is_another_process())
		*known = (struct descriptor){0};
}

void descriptors_forget_range(uint32_t first, uint32_t last)
{
	if (last >= PIECE_COUNT * PIECE_ENTRIES)
		last = PIECE_COUNT * PIECE_ENTRIES - 1;
	for (uint32_t i = first; i <= last; i++) {
		if (piece_of(i))
			descriptors_forget((int)i);
		else
			i |= PIECE_ENTRIES - 1;
	}
}

#define BUCKETS 1023u

/* In memory that fork wipes: a child has a list of its own, empty, or with what another
 * process left in its slot. */
struct target_table {
	uint32_t linked; /* entries of the list that the buckets have */
	uint32_t buckets[BUCKETS];
};

static struct target_table *table;

#define NAME_BYTES (sizeof(((struct segment_target *)0)->name))

_Static_assert(NAME_BYTES % 8 == 0, "names are whole words");

static uint64_t word_at(const char *name)
{
	uint64_t word;

	__builtin_memcpy(&word, name, 8);
	return word;
}

/* Names end with zeros, up to a whole word. */
static size_t end_name(char name[NAME_BYTES], size_t length)
{
	size_t end = length;

	do
		name[end++] = 0;
	while (end % 8);
	return length;
}

/* The end of a long name is what tells it from others. */
static size_t fit(char to[NAME_BYTES], const char *name, size_t length)
{
	size_t at = 0;

	if (length >= NAME_BYTES) {
		name += length - (NAME_BYTES - 4);
		length = NAME_BYTES - 4;
		while (at < 3)
			to[at++] = '.';
	}
	for (; length >= 8; length -= 8, at += 8, name += 8)
		__builtin_memcpy(to + at, name, 8);
	while (length--)
		to[at++] = *name++;
	return end_name(to, at);
}

static int has_end(uint64_t word)
{
	return ((word - 0x0101010101010101u) & ~word & 0x8080808080808080u) != 0;
}

/* By words: by bytes it is what takes longest of opening a file. */
static uint32_t hash_of(enum segment_target_kind kind, const char *name)
{
	uint64_t hash = kind, word;

	do {
		word = word_at(name);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
		name += 8;
	} while (!has_end(word));
	return (uint32_t)(hash >> 8);
}

static int is_same(const struct segment_target *target, uint32_t kind, const char *name)
{
	size_t i = 0;

	if (target->kind != kind)
		return 0;
	while (word_at(name + i) == word_at(target->name + i))
		if (has_end(word_at(name + i)))
			return 1;
		else
			i += 8;
	return 0;
}

static uint32_t look_up(uint32_t kind, uint32_t hash, const char *name)
{
	struct segment_process *segment = process->segment;
	const struct segment_target *all = arrays_entries(segment, &segment->targets);
	/* acquire: an entry that is linked is whole */
	uint32_t at = __atomic_load_n(&table->buckets[hash % BUCKETS], __ATOMIC_ACQUIRE);

	while (at && !(all[at].hash == hash && is_same(&all[at], kind, name)))
		at = all[at].hash_next;
	return at;
}

/* Those that another process left in the slot, and that a fork wiped from the table. */
static void link_targets(struct segment_process *segment)
{
	struct segment_target *all = arrays_entries(segment, &segment->targets);

	if (!table->linked)
		table->linked = 1;
	for (; table->linked < segment->targets.count; table->linked++) {
		struct segment_target *target = &all[table->linked];
		uint32_t *bucket = &table->buckets[target->hash % BUCKETS];

		target->hash_next = *bucket;
		/* release: pairs with the acquire in look_up() */
		__atomic_store_n(bucket, table->linked, __ATOMIC_RELEASE);
	}
}

/* Under the lock. */
static uint32_t add_target(uint32_t kind, uint32_t hash, const char *name)
{
	struct segment_process *segment = process->segment;
	uint32_t number = segment->targets.count ? segment->targets.count : 1;
	struct segment_target *target;

	if (process_grow(segment, process->slot, ARRAY_TARGETS, number + 1) < 0)
		return 0;
	target = arrays_entries(segment, &segment->targets);
	target += number;
	target->kind = kind;
	target->hash = hash;
	for (size_t i = 0; i == 0 || i % 8 || name[i - 1]; i++)
		target->name[i] = name[i];
	arrays_publish(&segment->targets, number + 1);
	link_targets(segment);
	return number;
}

/* What stands for all of a directory or kind, when there are many. Returns its length. */
static size_t make_coarse(uint32_t kind, char name[NAME_BYTES])
{
	static const char *const words[SEGMENT_TARGET_KINDS] = {
		[SEGMENT_TARGET_UNKNOWN] = "others", [SEGMENT_TARGET_FILE] = "files",
		[SEGMENT_TARGET_DEVICE] = "devices", [SEGMENT_TARGET_PIPE] = "pipes",
		[SEGMENT_TARGET_SOCKET] = "sockets", [SEGMENT_TARGET_OTHER] = "others",
		[SEGMENT_TARGET_PATHS] = "paths",
	};
	size_t end = 0, length = 0;

	for (size_t i = 0; kind == SEGMENT_TARGET_FILE && name[i]; i++)
		if (name[i] == '/')
			end = i + 1;
	if (!end) {
		while (words[kind][length])
			length++;
		return fit(name, words[kind], length);
	}
	name[end++] = '*';
	return end_name(name, end);
}

static uint32_t find_or_add(uint32_t kind, char name[NAME_BYTES])
{
	const struct segment_process *segment = process->segment;
	uint32_t hash = hash_of(kind, name), number = look_up(kind, hash, name);
	uint64_t mask;

	if (number || !process_lock(&mask))
		return number;
	link_targets(process->segment);
	number = look_up(kind, hash, name);
	if (!number && segment->targets.count >= SEGMENT_TARGETS_SINGLE) {
		make_coarse(kind, name);
		hash = hash_of(kind, name);
		number = look_up(kind, hash, name);
	}
	if (!number)
		number = add_target(kind, hash, name);
	process_unlock(&mask);
	return number;
}

uint32_t targets_find(enum segment_target_kind kind, const char *name, size_t length)
{
	char fitted[NAME_BYTES];

	if (!process_is_ready() || (!table && !make_once(&table, sizeof(*table))))
		return 0;
	fit(fitted, name, length);
	return find_or_add(kind, fitted);
}

/*
 * A lane's transfers, found by node and target. Counters that a handler may share with
 * the code that it interrupted are changed by single instructions; one that interrupts
 * an insertion makes none itself, and what it would have booked is counted as lost.
 */

static inline void add64(uint64_t *counter, uint64_t value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
}

static inline uint32_t *bucket_of(struct lane_context *context, uint32_t node,
				  uint32_t target, uint32_t is_source)
{
	uint32_t hash = node * 0x9e3779b1u + (target + is_source) * 0x85ebca6bu;

	return &context->transfer_buckets[hash >> 22];
}

_Static_assert(LANE_TRANSFER_BUCKETS == 1u << 10, "bucket_of() shifts by 22");

static inline int is_of(const struct segment_transfer *at, uint32_t node,
			const struct transfer *of)
{
	return at->node == node && at->target == of->target &&
	       at->is_source == of->is_source;
}

static struct segment_transfer *find(struct lane_context *context, uint32_t node,
				     const struct transfer *of)
{
	struct segment_transfer *all = context->transfers;
	uint32_t at = *bucket_of(context, node, of->target, of->is_source);

	for (; at; at = all[at].hash_next)
		if (is_of(&all[at], node, of))
			return &all[at];
	return NULL;
}

/* The new one, and those of a process that had the lane before. Who is left in the middle
 * of it has lost one, which is made again; none is linked twice, to itself. */
static void link_transfers(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct segment_transfer *all = arrays_entries(lane, &lane->transfers);
	uint32_t at = context->transfer_linked ? context->transfer_linked : 1;

	context->transfers = all;
	for (; at < lane->transfers.count; at++) {
		uint32_t *bucket = bucket_of(context, all[at].node, all[at].target,
					     all[at].is_source);

		context->transfer_linked = at + 1;
		__asm__ volatile("" : : : "memory");
		all[at].hash_next = *bucket;
		*bucket = at;
	}
}

static struct segment_transfer *add_transfer(struct lane_context *context, uint32_t node,
					     const struct transfer *of)
{
	struct segment_lane *lane = context->lane;
	struct segment_transfer *all = arrays_entries(lane, &lane->transfers);
	uint32_t number = lane->transfers.count ? lane->transfers.count : 1;

	if (process_grow(lane, context->slot, ARRAY_TRANSFERS, number + 1) < 0)
		return NULL;
	all[number].node = node;
	all[number].target = of->target;
	all[number].is_source = of->is_source;
	arrays_publish(&lane->transfers, number + 1);
	link_transfers(context);
	return &all[number];
}

static __attribute__((noinline)) on_short_calls struct segment_transfer *
find_or_add_transfer(struct lane_context *context, uint32_t node,
		     const struct transfer *of)
{
	struct segment_transfer *found;

	if (!node)
		return NULL;
	found = find(context, node, of);
	if (found ||
	    !busy_take(context, BUSY_TRANSFERS, (uintptr_t)__builtin_frame_address(0)))
		return found;
	link_transfers(context);
	found = find(context, node, of);
	if (!found)
		found = add_transfer(context, node, of);
	busy_give(context, BUSY_TRANSFERS);
	return found;
}

on_short_calls void transfers_book(struct lane_context *context, uint32_t node,
				   const struct transfer *transfer, uint32_t *memo)
{
	uint64_t bytes = transfer->bytes > 0 ? (uint64_t)transfer->bytes : 0;
	uint32_t known = *memo;
	struct segment_transfer *at = context->transfers + known;

	if (unlikely(!known || known >= context->transfer_linked ||
		     !is_of(at, node, transfer)))
		at = find_or_add_transfer(context, node, transfer);
	if (unlikely(!at)) {
		add64(&context->lane->lost_transfer_count, 1);
		add64(&context->lane->lost_transfer_bytes, bytes);
		return;
	}
	*memo = (uint32_t)(at - context->transfers);
	add64(&at->call_count, 1);
	add64(&at->ticks, transfer->ticks);
	if (transfer->bytes <= 0) {
		add64(&at->failed_count, transfer->bytes < 0);
		return;
	}
	add64(&at->bytes, bytes);
	add64(&at->small_count, bytes < SEGMENT_TRANSFER_SMALL);
	add64(&at->sequential_count, transfer->is_sequential != 0);
	if (bytes > at->largest_bytes)
		at->largest_bytes = bytes;
}
