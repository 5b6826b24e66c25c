/* SPDX-License-Identifier: MIT */
/* The table of descriptors: pieces that are mapped when they are needed. */
#include "shim/io/descriptors.h"

#include "shim/core/process.h"
#include "shim/lane/lane.h"

#define PIECE_COUNT 64u
#define PIECE_ENTRIES 1024u

/* Of memory that fork wipes: a child knows nothing of its descriptors, and has room. */
static struct descriptor *pieces[PIECE_COUNT];

static struct descriptor *piece_of(uint32_t number)
{
	/* acquire: pairs with the release in make_piece() */
	return __atomic_load_n(&pieces[number / PIECE_ENTRIES], __ATOMIC_ACQUIRE);
}

static cold struct descriptor *make_piece(uint32_t number)
{
	uint64_t size = PIECE_ENTRIES * sizeof(struct descriptor);
	struct descriptor *made = process_map(size, 1), *there = NULL;

	if (!made)
		return NULL;
	/* release: the memory is there */
	if (__atomic_compare_exchange_n(&pieces[number / PIECE_ENTRIES], &there, made, 0,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		process_count(SEGMENT_COUNTER_TOOL_BYTES, size);
		return made;
	}
	process_unmap(made, size);
	return there;
}

on_short_calls struct descriptor *descriptors_at(int descriptor)
{
	uint32_t number = (uint32_t)descriptor;
	struct descriptor *piece;

	if (number >= PIECE_COUNT * PIECE_ENTRIES)
		return NULL;
	piece = piece_of(number);
	if (unlikely(!piece))
		piece = make_piece(number);
	return piece ? &piece[number % PIECE_ENTRIES] : NULL;
}

on_short_calls struct descriptor *descriptors_known(int descriptor)
{
	uint32_t number = (uint32_t)descriptor;
	struct descriptor *piece;

	if (number >= PIECE_COUNT * PIECE_ENTRIES)
		return NULL;
	piece = piece_of(number);
	return piece ? &piece[number % PIECE_ENTRIES] : NULL;
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
struct table {
	uint32_t linked; /* entries of the list that the buckets have */
	uint32_t buckets[BUCKETS];
};

static struct table *table;

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
static void link_all(struct segment_process *segment)
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
static uint32_t add(uint32_t kind, uint32_t hash, const char *name)
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
	link_all(segment);
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
	link_all(process->segment);
	number = look_up(kind, hash, name);
	if (!number && segment->targets.count >= SEGMENT_TARGETS_SINGLE) {
		make_coarse(kind, name);
		hash = hash_of(kind, name);
		number = look_up(kind, hash, name);
	}
	if (!number)
		number = add(kind, hash, name);
	process_unlock(&mask);
	return number;
}

static cold int make_table(void)
{
	struct table *made = process_map(sizeof(*made), 1), *there = NULL;

	if (!made)
		return 0;
	/* release: pairs with the loads that depend on it */
	if (__atomic_compare_exchange_n(&table, &there, made, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		process_count(SEGMENT_COUNTER_TOOL_BYTES, sizeof(*made));
	else
		process_unmap(made, sizeof(*made));
	return 1;
}

uint32_t targets_find(enum segment_target_kind kind, const char *name, size_t length)
{
	char fitted[NAME_BYTES];

	if (!process_is_ready() || (!table && !make_table()))
		return 0;
	fit(fitted, name, length);
	return find_or_add(kind, fitted);
}
