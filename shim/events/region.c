/* SPDX-License-Identifier: MIT */
/*
 * Looks up and adds the names of regions. Runs on: traced threads, any context. Must not
 * call libc, nor wait for a lock while signals are not blocked.
 *
 * A program passes the same few strings again and again. So each lane remembers names by
 * the strings' addresses, and compares, since the memory may hold another name by now.
 * Otherwise it searches the table.
 */
#include "shim/events/events.h"

#include "common/segment_names.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/name.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/functions.h"
#include "shim/lane/tree.h"
#include "shim/events/context.h"

/* The mapping; a forked child inherits it with the file. */
static struct segment_names *mapped_names;

static inline int is_named(const struct segment_name *entry, const char *component,
			   const char *name)
{
	return name_is(entry->name, name, sizeof(entry->name)) &&
	       name_is(entry->component, component, sizeof(entry->component));
}

static int begin_names(void *start, uint32_t slot)
{
	struct segment_names *names = start;
	int result = process_commit(names, slot, 0, sizeof(*names));

	if (result < 0)
		return result;
	arrays_lay_out(SEGMENT_SLOT_NAMES, names, process_facts.file->slot_size);
	result = process_grow(names, slot, ARRAY_NAMES, SEGMENT_NAME_MORE + 1);
	if (result < 0)
		return result;
	name_copy(names->entries[SEGMENT_NAME_MORE].name, "[more regions]",
		  sizeof(names->entries[0].name));
	names->names.count = SEGMENT_NAME_MORE + 1;
	names->magic = SEGMENT_MAGIC_NAMES;
	return 0;
}

/* Maps the file's table, and makes it when there is none. Under the process lock. */
static struct segment_names *map_names(void)
{
	return shared_slot_map(&process_facts.file->name_slot, SEGMENT_SLOT_NAMES,
			       begin_names);
}

static struct segment_names *find_names(void)
{
	/* acquire: pairs with the release below */
	struct segment_names *names = __atomic_load_n(&mapped_names, __ATOMIC_ACQUIRE);
	uint64_t mask;

	if (names || !process_may_grow() || !process_lock(&mask))
		return names;
	if (!mapped_names)
		__atomic_store_n(&mapped_names, map_names(), __ATOMIC_RELEASE);
	names = mapped_names;
	process_unlock(&mask);
	return names;
}

/* Its index among the first `count`, or 0. */
static uint32_t search(const struct segment_names *names, uint32_t count, uint64_t hash,
		       const char *component, const char *name)
{
	for (uint32_t i = SEGMENT_NAME_MORE + 1; i < count; i++) {
		if (names->entries[i].hash == hash &&
		    is_named(&names->entries[i], component, name))
			return i;
	}
	return 0;
}

/* Under the table's lock. */
static uint32_t append(struct segment_names *names, uint64_t hash, const char *component,
		       const char *name)
{
	uint32_t index = names->names.count;
	struct segment_name *entry = &names->entries[index];

	if (index >= SEGMENT_NAME_LIMIT ||
	    process_grow(names, process_facts.file->name_slot, ARRAY_NAMES, index + 1) <
		    0) {
		names->is_full = 1;
		return SEGMENT_NAME_MORE;
	}
	entry->hash = hash;
	name_copy(entry->component, component, sizeof(entry->component));
	name_copy(entry->name, name, sizeof(entry->name));
	arrays_publish(&names->names, index + 1);
	return index;
}

/* The holder may have lost its processor to the threads that wait: with a limit of 1 ms,
 * 32 threads on 2 processors lost a name in one run of ten. After 0.2 s we take the
 * holder for dead, and nobody waits again. */
static int lock_names(struct segment_names *names)
{
	uint64_t start = clock_now();

	/* acquire: pairs with the release in add_name() */
	for (int i = 0; __atomic_exchange_n(&names->lock, 1, __ATOMIC_ACQUIRE); i++) {
		if (names->is_full)
			return 0;
		if (clock_now() - start > 2 * clock_tenth_of_second()) {
			names->is_full = 1;
			return 0;
		}
		gate_wait(i);
	}
	return 1;
}

static uint32_t add_name(struct segment_names *names, uint64_t hash,
			 const char *component, const char *name)
{
	uint64_t mask;
	uint32_t index;
	int is_locked;

	if (names->is_full || !gate_block_signals(&mask))
		return SEGMENT_NAME_MORE;
	is_locked = lock_names(names);
	/* another thread may have been quicker */
	index = search(names, arrays_count(&names->names), hash, component, name);
	if (!index)
		index = is_locked ? append(names, hash, component, name)
				  : SEGMENT_NAME_MORE;
	if (is_locked)
		__atomic_store_n(&names->lock, 0, __ATOMIC_RELEASE);
	gate_restore_signals(&mask);
	return index;
}

/* An end adds no name: a region without one in the table began without one, if at all. */
static cold uint32_t find_name(const char *component, const char *name, int may_add)
{
	struct segment_names *names = find_names();
	uint64_t hash = NAME_HASH_START;
	uint32_t index;

	if (!names)
		return SEGMENT_NAME_MORE;
	hash = name_hash(hash, component, sizeof(names->entries[0].component));
	hash = name_hash(hash, name, sizeof(names->entries[0].name));
	index = search(names, arrays_count(&names->names), hash, component, name);
	if (index)
		return index;
	return may_add ? add_name(names, hash, component, name) : SEGMENT_NAME_MORE;
}

/* Has regions of this name studied if that is asked for: from the first one on, before it
 * has a node. */
static void watch(uint32_t index, const char *name)
{
	uint64_t key = SEGMENT_KEY_REGION | index, mask;

	if (index == SEGMENT_NAME_MORE || !upcalls.watch_mark(name) ||
	    trigger_find(key) || !process_lock(&mask))
		return;
	trigger_add(&(struct trigger){.function = key, .actions = TRIGGER_STUDY});
	process_unlock(&mask);
}

uint32_t region_paused_node(struct lane_context *context)
{
	/* relaxed: whoever asks first finds the same index */
	uint32_t index = __atomic_load_n(&paused.key_index, __ATOMIC_RELAXED);

	if (!index) {
		index = find_name("", "[paused]", 1);
		__atomic_store_n(&paused.key_index, index, __ATOMIC_RELAXED);
	}
	return tree_child(context, LANE_ROOT, SEGMENT_KEY_REGION | index);
}

static inline uint64_t key_of(struct lane_context *context, const char *component,
			      const char *name, int may_add)
{
	uint64_t hash =
		((uintptr_t)name ^ (uintptr_t)component << 1) * 0x9e3779b97f4a7c15ull;
	struct region_memo *memo = &context->region_memos[hash >> 58];
	uint32_t index = memo->index;

	if (unlikely(memo->name != name || memo->component != component || !index ||
		     !is_named(&mapped_names->entries[index], component, name))) {
		index = find_name(component, name, may_add);
		watch(index, name);
		memo->index = 0; /* a handler in between must not find half of it */
		__asm__ volatile("" : : : "memory");
		memo->name = name;
		memo->component = component;
		__asm__ volatile("" : : : "memory");
		/* a region without a name of its own is looked up again */
		memo->index = index == SEGMENT_NAME_MORE ? 0 : index;
	}
	return SEGMENT_KEY_REGION | index;
}

_Static_assert(LANE_REGION_MEMOS == 1u << 6, "key_of() shifts by 58");

void region_begin(const char *component, const char *name, uintptr_t stack)
{
	struct lane_context *context = context_get();

	if (context)
		calls_begin_region(
			key_of(context, component ? component : "", name ? name : "", 1),
			stack);
	else
		process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
}

void region_end(const char *component, const char *name, uintptr_t stack)
{
	struct lane_context *context = context_get();

	if (context)
		calls_end_region(
			key_of(context, component ? component : "", name ? name : "", 0),
			stack);
}
