/* SPDX-License-Identifier: MIT */
/*
 * Arenas: each a page of addresses and the exit's code, then a page for every 32
 * functions, written when the first of them is asked for. 64 bytes are a stub; its own
 * address is in the last eight.
 */
#include "shim/patch/stubs.h"

#include <stddef.h>
#include <sys/mman.h>

#include "shim/core/gate.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"
#include "shim/lane/lane.h"

#define PAGE_BYTES 4096u
#define STUB_BYTES 64u
#define SLOT_AT 56u
#define NUMBERS_PER_PAGE (PAGE_BYTES / STUB_BYTES / 2)
#define ARENA_BYTES ((SEGMENT_MODE_LIMIT / NUMBERS_PER_PAGE + 1ull) * PAGE_BYTES)
#define ARENA_LIMIT 64u
#define REACH 0x7f000000ull /* of a 32-bit displacement, and room to be wrong */
#define LOWEST_ADDRESS 0x10000u

#define CONTEXT(member) ((uint8_t)offsetof(struct lane_context, member))

_Static_assert(offsetof(struct lane_context, counts) < 128 &&
		       offsetof(struct lane_context, all_counts) < 128 &&
		       offsetof(struct lane_context, pulse) < 128 &&
		       offsetof(struct lane_context, top) < 128,
	       "the code has these offsets in a byte");
_Static_assert(sizeof(struct segment_count) == 8, "the code counts in 64 bits");

struct stub_targets stub_targets;

/* Of this process; a forked child has them all. */
static struct {
	uint8_t *start;
	uint8_t is_written[SEGMENT_MODE_LIMIT / NUMBERS_PER_PAGE];
} arenas[ARENA_LIMIT];
static uint32_t arena_count;

/* Where code is written to. */
struct pen {
	uint8_t *at;
};

static void put(struct pen *pen, const uint8_t *bytes, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		*pen->at++ = bytes[i];
}

#define PUT(pen, ...)                                                                    \
	put(pen, (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

static void put_number(struct pen *pen, uint32_t number)
{
	put(pen, (const uint8_t *)&number, sizeof(number));
}

/* mov %fs:lane_self, %rax */
static void put_load_context(struct pen *pen)
{
	uintptr_t self = (uintptr_t)&lane_self;

	PUT(pen, 0x64, 0x48, 0x8b, 0x04, 0x25);
	put_number(pen, (uint32_t)(self - (uintptr_t)__builtin_thread_pointer()));
}

/* [mov $number, %edx;] jmp *arena[target](%rip) */
static void put_go_on(struct pen *pen, const uint8_t *arena, unsigned int target,
		      uint32_t number)
{
	if (number) {
		PUT(pen, 0xba);
		put_number(pen, number);
	}
	PUT(pen, 0xff, 0x25);
	put_number(pen, (uint32_t)(arena + 8 * target - (pen->at + 4)));
}

static uint8_t *put_short_jump(struct pen *pen, uint8_t condition)
{
	PUT(pen, condition, 0);
	return pen->at;
}

static void land(const struct pen *pen, uint8_t *from)
{
	from[-1] = (uint8_t)(pen->at - from);
}

enum { TARGET_ENTER, TARGET_PULSE, TARGET_LEAVE };

#define JUMP_IF_ZERO 0x74
#define JUMP_IF_NEGATIVE 0x78
#define RETURN 0xc3

static void write_entry(uint8_t *stub, const uint8_t *arena, uint32_t number,
			int has_pulse)
{
	struct pen pen = {stub};
	uint8_t *slow, *pulse = NULL;

	put_load_context(&pen);
	PUT(&pen, 0x48, 0x8b, 0x48, has_pulse ? CONTEXT(counts) : CONTEXT(all_counts));
	PUT(&pen, 0x48, 0x85, 0xc9);
	slow = put_short_jump(&pen, JUMP_IF_ZERO);
	PUT(&pen, 0x48, 0xff, 0x81);
	put_number(&pen, number * 8);
	if (has_pulse) {
		PUT(&pen, 0xff, 0x48, CONTEXT(pulse));
		pulse = put_short_jump(&pen, JUMP_IF_NEGATIVE);
	}
	PUT(&pen, RETURN);
	land(&pen, slow);
	put_go_on(&pen, arena, TARGET_ENTER, number);
	if (!has_pulse)
		return;
	land(&pen, pulse);
	put_go_on(&pen, arena, TARGET_PULSE, number);
}

static void write_exit(uint8_t *stub, const uint8_t *arena)
{
	const int function = (int)offsetof(struct segment_frame, function) -
			     (int)sizeof(struct segment_frame);
	struct pen pen = {stub};
	uint8_t *slow, *match;

	put_load_context(&pen);
	PUT(&pen, 0x48, 0x8b, 0x48, CONTEXT(top));
	PUT(&pen, 0x48, 0x85, 0xc9);
	slow = put_short_jump(&pen, JUMP_IF_ZERO);
	PUT(&pen, 0x48, 0x39, 0x79, (uint8_t)function);
	match = put_short_jump(&pen, JUMP_IF_ZERO);
	PUT(&pen, RETURN);
	land(&pen, slow);
	land(&pen, match);
	put_go_on(&pen, arena, TARGET_LEAVE, 0);
}

static void write_slot(uint8_t *stub)
{
	*(uintptr_t *)(stub + SLOT_AT) = (uintptr_t)stub;
}

static int protect(void *page, int protection)
{
	long result;

	if (gate_is_restricted() || !gate_enter())
		return 0;
	result = SYSCALL(SYS_mprotect, page, PAGE_BYTES, protection, 0, 0, 0);
	gate_leave();
	return result == 0;
}

/* Nobody uses a stub of a page that is not written yet. */
static int write_page(uint32_t arena, uint32_t index)
{
	uint8_t *start = arenas[arena].start;
	uint8_t *page = start + (index + 1ull) * PAGE_BYTES;

	if (arenas[arena].is_written[index])
		return 1;
	if (!protect(page, PROT_READ | PROT_WRITE))
		return 0;
	for (uint32_t i = 0; i < NUMBERS_PER_PAGE * 2; i++) {
		uint8_t *stub = page + i * STUB_BYTES;

		write_entry(stub, start, index * NUMBERS_PER_PAGE + i / 2,
			    i % 2 == STUB_WINDOWS);
		write_slot(stub);
	}
	process_count(SEGMENT_COUNTER_TOOL_BYTES, PAGE_BYTES);
	if (!protect(page, PROT_READ | PROT_EXEC))
		return 0;
	arenas[arena].is_written[index] = 1;
	return 1;
}

static int is_in_reach(uintptr_t from, uintptr_t to)
{
	return (from < to ? to - from : from - to) < REACH - ARENA_BYTES;
}

static uint8_t *map_at(uintptr_t address)
{
	long result;

	if (gate_is_restricted() || !gate_enter())
		return NULL;
	result = SYSCALL(SYS_mmap, address, ARENA_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				 0x100000 /* MAP_FIXED_NOREPLACE */,
			 -1, 0);
	if (!syscall_failed(result) && result != (long)address) { /* before Linux 4.17 */
		SYSCALL(SYS_munmap, result, ARENA_BYTES, 0, 0, 0, 0);
		result = -1;
	}
	gate_leave();
	return syscall_failed(result) ? NULL : (uint8_t *)result;
}

/* Below the object: above the program's own lies its heap, which grows. */
static uint8_t *map_below(uintptr_t object)
{
	uintptr_t end = object & ~(PAGE_BYTES - 1ul), step = PAGE_BYTES;

	while (end > ARENA_BYTES + LOWEST_ADDRESS + step && step < REACH / 2) {
		uint8_t *start = map_at(end - step - ARENA_BYTES);

		if (start)
			return start;
		step *= 2;
	}
	return NULL;
}

static int begin_arena(uint8_t *start)
{
	uint8_t *stub = start + STUB_BYTES;

	((uintptr_t *)start)[TARGET_ENTER] = (uintptr_t)stub_targets.enter;
	((uintptr_t *)start)[TARGET_PULSE] = (uintptr_t)stub_targets.pulse;
	((uintptr_t *)start)[TARGET_LEAVE] = (uintptr_t)stub_targets.leave;
	write_exit(stub, start);
	write_slot(stub);
	stub += STUB_BYTES;
	stub[0] = RETURN;
	write_slot(stub);
	return protect(start, PROT_READ | PROT_EXEC);
}

/* The arena in reach, made when there is none. ARENA_LIMIT: it cannot be had. */
static uint32_t find_arena(uintptr_t site, uintptr_t object)
{
	uint8_t *start;

	for (uint32_t i = 0; i < arena_count; i++) {
		if (is_in_reach(site, (uintptr_t)arenas[i].start))
			return i;
	}
	if (arena_count == ARENA_LIMIT)
		return ARENA_LIMIT;
	start = map_below(object);
	if (!start)
		return ARENA_LIMIT;
	if (!begin_arena(start) || !is_in_reach(site, (uintptr_t)start)) {
		process_unmap(start, ARENA_BYTES);
		return ARENA_LIMIT;
	}
	own_memory_add(start, ARENA_BYTES);
	process_count(SEGMENT_COUNTER_TOOL_BYTES, PAGE_BYTES);
	arenas[arena_count].start = start;
	return arena_count++;
}

uintptr_t stubs_find(uintptr_t site, uintptr_t object, enum stub_kind kind,
		     uint32_t number, const uintptr_t **ret_slot)
{
	uint32_t arena = find_arena(site, object), page = number / NUMBERS_PER_PAGE;
	uint8_t *stub;

	if (arena == ARENA_LIMIT)
		return 0;
	stub = arenas[arena].start + (kind == STUB_RETURN ? 2 : 1) * STUB_BYTES;
	if (kind < STUB_EXIT) {
		if (!write_page(arena, page))
			return 0;
		stub = arenas[arena].start + (page + 1ull) * PAGE_BYTES +
		       (number % NUMBERS_PER_PAGE * 2 + kind) * STUB_BYTES;
	}
	*ret_slot = (const uintptr_t *)(stub + SLOT_AT);
	return (uintptr_t)stub;
}
