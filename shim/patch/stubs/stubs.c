/* SPDX-License-Identifier: MIT */
/*
 * An arena begins with a page of its image, addresses and what all functions have in
 * common; then comes a page for every 21 functions, all of whose stubs are written when
 * one is asked for. 64 bytes are a stub; its own address is in the last eight, and is
 * written last. A function keeps its number for ever, so what is written stays right.
 */
#include "shim/patch/stubs/stubs.h"

#include <stddef.h>
#include <sys/mman.h>

#include "common/segment_recording.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/lane.h"
#include "shim/patch/stubs/arena_image.h"
#include "shim/patch/stubs/arenas.h"
#include "shim/patch/text.h"

#define PAGE_BYTES 4096u
#define STUB_BYTES 64u
#define SLOT_AT 56u
#define NUMBERS_PER_PAGE (PAGE_BYTES / STUB_BYTES / STUB_EXIT)
#define PART_NUMBERS ((ARENA_BYTES / PAGE_BYTES - 1) * NUMBERS_PER_PAGE)

#define CONTEXT(member) ((uint8_t)offsetof(struct lane_context, member))

_Static_assert(offsetof(struct lane_context, counts) < 128 &&
		       offsetof(struct lane_context, pulse) < 128 &&
		       offsetof(struct lane_context, top) < 128,
	       "the code has these offsets in a byte");
_Static_assert(sizeof(struct segment_count) == 8, "the code counts in 64 bits");

struct stub_targets stub_targets;

/* Where code is written to. */
struct pen {
	uint8_t *at;
	const uint8_t *start;
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

/* Where a page of common code has what. */
#define TARGETS_AT ARENA_IMAGE_BYTES
#define JUMPS_AT (TARGETS_AT + STUB_BYTES) /* one for each target, of 8 bytes */
#define EXIT_AT (JUMPS_AT + STUB_BYTES)

/* jmp *targets[target](%rip) */
static void put_go_on(struct pen *pen, const uint8_t *arena, unsigned int target)
{
	PUT(pen, 0xff, 0x25);
	put_number(pen, (uint32_t)(arena + TARGETS_AT + 8 * target - (pen->at + 4)));
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

enum { TARGET_HOOK, TARGET_ENTER, TARGET_PULSE, TARGET_LEAVE, TARGETS };

#define JUMP_IF_ZERO 0x74
#define RETURN 0xc3

enum condition { IF_ZERO = 0x84, IF_NOT_ZERO = 0x85, IF_NEGATIVE = 0x88 };

/* jcc arena's jump */
static void put_jump(struct pen *pen, uintptr_t place, const uint8_t *arena,
		     enum condition condition, unsigned int target)
{
	uintptr_t to = (uintptr_t)arena + JUMPS_AT + 8 * target;
	uintptr_t end = place + (uintptr_t)(pen->at - pen->start) + 6;

	PUT(pen, 0x0f, (uint8_t)condition);
	put_number(pen, (uint32_t)(to - end));
}

/* place: where the code is going to be. */
static void write_entry(uint8_t *stub, uintptr_t place, const uint8_t *arena,
			uintptr_t function, uint32_t number, enum stub_kind kind)
{
	struct pen pen = {stub, stub};

	PUT(&pen, 0x81, 0xff);
	put_number(&pen, (uint32_t)function);
	put_jump(&pen, place, arena, IF_NOT_ZERO, TARGET_HOOK);
	put_load_context(&pen);
	PUT(&pen, 0x48, 0x8b, 0x48, CONTEXT(counts));
	PUT(&pen, 0x48, 0x85, 0xc9);
	put_jump(&pen, place, arena, IF_ZERO, TARGET_ENTER);
	if (kind != STUB_PULSE) {
		PUT(&pen, 0x48, 0xff, 0x81);
		put_number(&pen, number * 8);
	}
	PUT(&pen, 0xff, 0x48, CONTEXT(pulse));
	put_jump(&pen, place, arena, IF_NEGATIVE, TARGET_PULSE);
	PUT(&pen, RETURN);
}

static void write_exit(uint8_t *stub, const uint8_t *arena)
{
	const int function = (int)offsetof(struct segment_frame, function) -
			     (int)sizeof(struct segment_frame);
	struct pen pen = {stub, stub};
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
	PUT(&pen, 0x48, 0x89, 0xea); /* mov %rbp, %rdx */
	put_go_on(&pen, arena, TARGET_LEAVE);
}

static void write_slot(uint8_t *stub, uintptr_t place)
{
	*(uintptr_t *)(stub + SLOT_AT) = place;
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

static int is_written(const uint8_t *stub)
{
	return *(const uintptr_t *)(stub + SLOT_AT) == (uintptr_t)stub;
}

/* All of a function's, in their place at once: other stubs of the page run. */
static int write_stubs(const uint8_t *arena, uint8_t *place, uintptr_t function,
		       uint32_t number)
{
	_Alignas(8) uint8_t stubs[STUB_EXIT * STUB_BYTES] = {0};

	if (is_written(place + (STUB_EXIT - 1) * STUB_BYTES))
		return 1;
	for (uint32_t kind = 0; kind < STUB_EXIT; kind++) {
		uint8_t *stub = stubs + kind * STUB_BYTES;
		uintptr_t at = (uintptr_t)place + kind * STUB_BYTES;

		write_entry(stub, at, arena, function, number, (enum stub_kind)kind);
		write_slot(stub, at);
	}
	return text_compose((uintptr_t)place, stubs, sizeof(stubs)) == 0;
}

static int begin_arena(uint8_t *start)
{
	uintptr_t *targets = (uintptr_t *)(start + TARGETS_AT);
	uint8_t *stub = start + EXIT_AT;

	if (!protect(start, PROT_READ | PROT_WRITE))
		return 0;
	arena_image_write(start, ARENA_BYTES);
	targets[TARGET_HOOK] = stub_targets.enter_hook;
	targets[TARGET_ENTER] = (uintptr_t)stub_targets.enter;
	targets[TARGET_PULSE] = (uintptr_t)stub_targets.pulse;
	targets[TARGET_LEAVE] = (uintptr_t)stub_targets.leave;
	for (unsigned int target = 0; target < TARGETS; target++) {
		struct pen pen = {start + JUMPS_AT + 8 * target, start};

		put_go_on(&pen, start, target);
	}
	write_exit(stub, start);
	write_slot(stub, (uintptr_t)stub);
	return protect(start, PROT_READ | PROT_EXEC);
}

/* The arena in reach that has the number, made when there is none. NULL: it cannot be
 * had. */
static uint8_t *find_arena(uintptr_t site, uintptr_t object, uint32_t number)
{
	uint32_t part = number / PART_NUMBERS, index = arenas_find(site, part);
	uint8_t *start;

	if (index != ARENA_LIMIT)
		return (uint8_t *)arenas_start(index);
	start = arenas_map(site, object);
	if (!start)
		return NULL;
	if (!begin_arena(start)) {
		process_unmap(start, ARENA_BYTES);
		return NULL;
	}
	arenas_add(start, part);
	return start;
}

uintptr_t stubs_find(uintptr_t site, uintptr_t object, enum stub_kind kind,
		     uintptr_t function, uint32_t number, const uintptr_t **ret_slot)
{
	uint8_t *arena = find_arena(site, object, number), *stub;
	uint32_t place = number % PART_NUMBERS;

	if (!arena)
		return 0;
	stub = arena + EXIT_AT;
	if (kind != STUB_EXIT) {
		stub = arena + (place / NUMBERS_PER_PAGE + 1ull) * PAGE_BYTES +
		       place % NUMBERS_PER_PAGE * STUB_EXIT * STUB_BYTES;
		if (!write_stubs(arena, stub, function, number))
			return 0;
		stub += kind * STUB_BYTES;
	}
	*ret_slot = (const uintptr_t *)(stub + SLOT_AT);
	return (uintptr_t)stub;
}
