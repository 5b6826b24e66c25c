/* SPDX-License-Identifier: MIT */
/* Addresses, and the table of arenas. arenas_begin() runs in the constructor. */
#include "shim/patch/stubs/arenas.h"

#include <sys/mman.h>

#include "shim/core/gate.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"

#define PAGE_BYTES 4096ul
#define REACH 0x7f000000ull /* of a 32-bit displacement, and room to be wrong */
#define LOWEST_ADDRESS 0x10000u
#define MAP_NOT_OVER_OTHERS 0x100000 /* MAP_FIXED_NOREPLACE */
/* Behind a program: for how much the heap is moved, where it has to be; and how far the
 * kernel may put it away: 32 MiB, or 1 GiB since Linux 6.9. */
#define ROOM_BYTES (8ul << 20)
#define HEAP_NEAREST (32ul << 20)
#define HEAP_FARTHEST (1ul << 30)

static struct {
	uintptr_t start;
	uint32_t part;
} arenas[ARENA_LIMIT];
static uint32_t arena_count;

/* A program that is linked to its address begins at `low`; what is free behind it. */
static struct {
	uintptr_t low;
	struct extent room;
	uintptr_t heap; /* where the break began, or 0: nothing of ours is below it */
} fixed_program;

static uintptr_t page_of(uintptr_t address)
{
	return address & ~(PAGE_BYTES - 1);
}

/* Nobody has any of the heap yet. Returns where it begins from now on. */
static uintptr_t move_heap(uintptr_t heap)
{
	uintptr_t wanted = page_of(heap + PAGE_BYTES - 1) + ROOM_BYTES;

	if ((uintptr_t)SYSCALL(SYS_brk, wanted, 0, 0, 0, 0, 0) != wanted)
		return heap;
	SYSCALL(SYS_munmap, wanted - ROOM_BYTES, ROOM_BYTES, 0, 0, 0, 0);
	return wanted;
}

void arenas_begin(const struct extent *program)
{
	uintptr_t heap;

	if (!gate_enter())
		return;
	heap = (uintptr_t)SYSCALL(SYS_brk, 0, 0, 0, 0, 0, 0);
	if (heap < program->high - PAGE_BYTES || heap - program->high > HEAP_FARTHEST)
		heap = program->high +
		       HEAP_NEAREST; /* of a program that ld.so was given */
	else if (heap < program->high + ROOM_BYTES)
		fixed_program.heap = heap = move_heap(heap);
	gate_leave();
	fixed_program.low = program->low;
	fixed_program.room = (struct extent){program->high, page_of(heap)};
}

uintptr_t arenas_heap(void)
{
	return fixed_program.heap;
}

static int is_in_reach(uintptr_t from, uintptr_t to)
{
	return (from < to ? to - from : from - to) < REACH - ARENA_BYTES;
}

static uint8_t *map_at(uintptr_t address)
{
	long result;

	if (!gate_enter())
		return NULL;
	result = SYSCALL(
		SYS_mmap, address, ARENA_BYTES, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_NOT_OVER_OTHERS, -1, 0);
	if (!syscall_failed(result) && result != (long)address) { /* before Linux 4.17 */
		SYSCALL(SYS_munmap, result, ARENA_BYTES, 0, 0, 0, 0);
		result = -1;
	}
	/* of the program's own locks, MCL_FUTURE */
	if (!syscall_failed(result) && own_memory_expects_locks())
		SYSCALL(SYS_munlock, result, ARENA_BYTES, 0, 0, 0, 0);
	gate_leave();
	return syscall_failed(result) ? NULL : (uint8_t *)result;
}

/* From the end on down, with a page between that nobody may touch. */
static uint8_t *map_in_room(void)
{
	struct extent *room = &fixed_program.room;

	while (room->high >= room->low + ARENA_BYTES + 2 * PAGE_BYTES) {
		uintptr_t start = room->high - PAGE_BYTES - ARENA_BYTES;
		uint8_t *mapped = map_at(start);

		room->high = start;
		if (mapped)
			return mapped;
	}
	return NULL;
}

/* Of an object whose place is random, below it and below the arenas there: above the
 * program's own lies its heap. */
static uint8_t *map_below(uintptr_t object)
{
	uintptr_t end = page_of(object), step = PAGE_BYTES;

	for (uint32_t i = 0; i < arena_count; i++) {
		if (arenas[i].start < end && is_in_reach(object, arenas[i].start))
			end = arenas[i].start;
	}
	while (end > ARENA_BYTES + LOWEST_ADDRESS + step && step < REACH / 2) {
		uint8_t *start = map_at(end - step - ARENA_BYTES);

		if (start)
			return start;
		step *= 2;
	}
	return NULL;
}

uint8_t *arenas_map(uintptr_t site, uintptr_t object)
{
	int is_fixed = object && object == fixed_program.low;
	uint8_t *start;

	if (arena_count == ARENA_LIMIT)
		return NULL;
	start = is_fixed ? map_in_room() : map_below(object);
	if (start && !is_in_reach(site, (uintptr_t)start)) {
		process_unmap(start, ARENA_BYTES);
		start = NULL;
	}
	return start;
}

uint32_t arenas_find(uintptr_t site, uint32_t part)
{
	for (uint32_t i = 0; i < arena_count; i++) {
		if (arenas[i].part == part && is_in_reach(site, arenas[i].start))
			return i;
	}
	return ARENA_LIMIT;
}

void arenas_add(uint8_t *start, uint32_t part)
{
	uint32_t index = arena_count;

	own_memory_add(start, ARENA_BYTES);
	process_count(SEGMENT_COUNTER_TOOL_BYTES, PAGE_BYTES);
	arenas[index].start = (uintptr_t)start;
	arenas[index].part = part;
	/* release: pairs with the acquire in arenas_start() */
	__atomic_store_n(&arena_count, index + 1, __ATOMIC_RELEASE);
}

uintptr_t arenas_start(uint32_t index)
{
	return index < __atomic_load_n(&arena_count, __ATOMIC_ACQUIRE)
		       ? arenas[index].start
		       : 0;
}

uint32_t arenas_part(uint32_t index)
{
	return arenas[index].part;
}

uintptr_t arenas_of(uintptr_t address)
{
	uint32_t count = __atomic_load_n(&arena_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		if (address - arenas[i].start < ARENA_BYTES)
			return arenas[i].start;
	}
	return 0;
}

uintptr_t arenas_in(uintptr_t low, uintptr_t high)
{
	uintptr_t start;

	for (uint32_t i = 0; (start = arenas_start(i)); i++) {
		if (start < high && start + ARENA_BYTES > low)
			return start;
	}
	return 0;
}

/* The last one takes its place: who is looking finds that one twice, or here. */
void arenas_give_up(uintptr_t start)
{
	uint32_t index = 0, last = arena_count - 1;

	while (index < last && arenas[index].start != start)
		index++;
	own_memory_remove((void *)start);
	arenas[index] = arenas[last];
	__atomic_store_n(&arena_count, last, __ATOMIC_RELEASE);
}
