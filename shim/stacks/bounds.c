/* SPDX-License-Identifier: MIT */
/*
 * Bounds of stacks from makecontext, the shadow map and the kernel. Runs on: traced
 * threads, any context, with signals blocked; slow paths only. Must not call libc,
 * allocate from the heap, or keep a descriptor.
 */
#include "shim/stacks/bounds.h"

#include <fcntl.h>
#include <signal.h>

#include "common/attributes.h"
#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/memory/shadow.h"

#define DECLARED_LIMIT 65536u

/* Sorted by low, never overlapping. Under the process lock. A forked child inherits it
 * with the stacks. */
static struct extent *declared;
static uint32_t declared_count;

/* Index of the first declared stack that ends above the address. */
static uint32_t declared_above(uintptr_t address)
{
	uint32_t from = 0, to = declared_count;

	while (from < to) {
		uint32_t middle = (from + to) / 2;

		if (declared[middle].high > address)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

static void insert(uint32_t at, uint32_t overlapped, struct extent extent)
{
	if (overlapped == 0) {
		for (uint32_t i = declared_count; i > at; i--)
			declared[i] = declared[i - 1];
		declared_count++;
	} else if (overlapped > 1) {
		for (uint32_t i = at + overlapped; i < declared_count; i++)
			declared[i - overlapped + 1] = declared[i];
		declared_count -= overlapped - 1;
	}
	declared[at] = extent;
}

void bounds_declare(uintptr_t low, uintptr_t high)
{
	uint32_t at, overlapped = 0;

	if (!declared)
		__atomic_store_n(&declared,
				 process_map(DECLARED_LIMIT * sizeof(*declared), 0),
				 __ATOMIC_RELAXED);
	if (!declared)
		return;
	at = declared_above(low);
	while (at + overlapped < declared_count && declared[at + overlapped].low < high)
		overlapped++;
	if (overlapped || declared_count < DECLARED_LIMIT)
		insert(at, overlapped, (struct extent){low, high});
}

int bounds_declared(uintptr_t address, struct extent *ret)
{
	int found = 0;
	uint32_t at;
	uint64_t mask;

	/* relaxed: who is on a declared stack knows that there is one */
	if (!__atomic_load_n(&declared, __ATOMIC_RELAXED) || !process_lock(&mask))
		return 0;
	at = declared_above(address);
	found = at < declared_count && declared[at].low <= address;
	if (found)
		*ret = declared[at];
	process_unlock(&mask);
	return found;
}

void bounds_forget(uintptr_t address)
{
	uint32_t at = declared_above(address);

	if (at == declared_count || declared[at].low > address)
		return;
	declared_count--;
	for (; at < declared_count; at++)
		declared[at] = declared[at + 1];
}

void bounds_clip(uintptr_t address, struct extent *extent)
{
	uint32_t at;
	uint64_t mask;

	if (!process_lock(&mask))
		return;
	at = declared_above(address);
	if (at < declared_count && declared[at].low < extent->high &&
	    declared[at].low > address)
		extent->high = declared[at].low;
	if (at > 0 && declared[at - 1].high > extent->low)
		extent->low = declared[at - 1].high;
	process_unlock(&mask);
}

int bounds_block(uintptr_t address, struct extent *ret)
{
	struct shadow_block block;
	uintptr_t start;

	if (!shadow_around(address, 1ull << SHADOW_REGION_SHIFT, &start, &block))
		return 0;
	*ret = (struct extent){start, start + block.size_bytes};
	return 1;
}

/* Linux 6.11: one mapping, without listing all. Not yet in Debian 12's headers. */
struct mapping_query {
	uint64_t size, flags, address;
	uint64_t start, end, mapping_flags, page_size, offset, inode;
	uint32_t device_major, device_minor, name_size, build_id_size;
	uint64_t name, build_id;
};

#define QUERY_MAPPING 0xc0686611ul /* _IOWR('f', 17, struct mapping_query) */

_Static_assert(sizeof(struct mapping_query) == 0x68, "the kernel's structure");

struct asked_address {
	uintptr_t address;
	struct extent *found;
};

/* 1: it lies in none; 2: in this one. */
static int look_at(void *data, const struct maps_line *line)
{
	const struct asked_address *question = data;

	if (question->address >= line->high)
		return 0;
	*question->found = (struct extent){line->low, line->high};
	return question->address >= line->low ? 2 : 1;
}

static int ask_mapping(uintptr_t address, struct extent *ret)
{
	struct mapping_query query = {.size = sizeof(query), .address = address};
	long fd = SYSCALL(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	long result;

	if (fd < 0)
		return 0;
	result = SYSCALL(SYS_ioctl, fd, QUERY_MAPPING, &query, 0, 0, 0);
	SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
	if (result < 0)
		return maps_each(look_at, &(struct asked_address){address, ret}) == 2;
	*ret = (struct extent){query.start, query.end};
	return address >= query.start && address < query.end;
}

int bounds_mapping(uintptr_t address, struct extent *ret)
{
	int found;

	if (!gate_enter())
		return 0;
	found = ask_mapping(address, ret);
	gate_leave();
	return found;
}

int bounds_signal_stack(uintptr_t address, struct extent *ret)
{
	stack_t stack;
	long result;

	if (!gate_enter())
		return 0;
	result = SYSCALL(SYS_sigaltstack, 0, &stack, 0, 0, 0, 0);
	gate_leave();
	if (result < 0 || (stack.ss_flags & SS_DISABLE))
		return 0;
	*ret = (struct extent){(uintptr_t)stack.ss_sp,
			       (uintptr_t)stack.ss_sp + stack.ss_size};
	return address >= ret->low && address < ret->high;
}

int bounds_main_stack(uintptr_t address, struct extent *ret)
{
	*ret = (struct extent){process_facts.main_stack_low,
			       process_facts.main_stack_high};
	return address >= ret->low && address < ret->high;
}
