/* SPDX-License-Identifier: MIT */
/*
 * An arena begins with a page for its image, addresses and common code. Then come pages
 * of stubs, every 16th with pads and boards, and at the end data pages with what each
 * stub compares. So the stubs of all places of a page can be written together when the
 * first is needed (making a page writable and back takes over 5 us, a third of a
 * function's cost). A stub's own address is in its last eight bytes and is written last.
 * A function keeps its number and place for ever, so written code stays right. Runs on:
 * as stubs.h.
 */
#include "shim/patch/stubs.h"

#include <stddef.h>
#include <sys/mman.h>

#include "common/segment_recording.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/lane.h"
#include "shim/patch/arenas.h"
#include "shim/patch/numbers.h"
#include "shim/patch/text.h"

#define PAGE_BYTES 4096u
#define LINE_BYTES 64u
#define SLOT_BYTES 8u

/* Where a function's stubs begin, and where they end. */
static const uint32_t stub_at[] = {[STUB_COUNTED] = 0,
				   [STUB_NOTHING] = 2 * LINE_BYTES,
				   [STUB_EXIT] = 3 * LINE_BYTES};
#define PLACE_BYTES (3 * LINE_BYTES)
#define PLACES_PER_PAGE (PAGE_BYTES / PLACE_BYTES)
#define PAD_PAGES 4u
#define PAD_PAGES_APART (ARENA_PADS_BYTES / PAGE_BYTES)
#define CODE_PAGES ((PAD_PAGES - 1) * (PAD_PAGES_APART - 1)) /* between those */
#define PART_PLACES (CODE_PAGES * PLACES_PER_PAGE)

/* A site that is compared, and where its number's count is. */
struct pair {
	uintptr_t site; /* 0: none */
	uint64_t offset;
};

/* Each comparison is a branch, predicted as long as calls alternate regularly. For more
 * sites the table is as good: 1.5 ns in any order. */
#define PAIRS 3u

struct compared {
	uint64_t function; /* whose place it is; 0: nobody's yet */
	struct pair pairs[PAIRS];
};

/* The last page stays empty: another arena may follow. */
#define COMPARED_AT ((1 + PAD_PAGES + CODE_PAGES) * PAGE_BYTES)
#define COMPARED_BYTES (ARENA_BYTES - PAGE_BYTES - COMPARED_AT)

_Static_assert(PART_PLACES * sizeof(struct compared) <= COMPARED_BYTES,
	       "an arena has room for what its places compare");

#define CONTEXT(member) ((uint8_t)offsetof(struct lane_context, member))

_Static_assert(offsetof(struct lane_context, counts) < 128 &&
		       offsetof(struct lane_context, pulse) < 128 &&
		       offsetof(struct lane_context, top) < 128,
	       "the code has these offsets in a byte");
_Static_assert(sizeof(struct segment_count) == 8, "the code counts in 64 bits");

struct stub_targets stub_targets;

/* Where code is being written. */
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

/* Offsets in the page of common code. */
#define TARGETS_AT ARENA_IMAGE_BYTES
#define JUMPS_AT (TARGETS_AT + LINE_BYTES) /* one for each target, of 8 bytes */
#define EXIT_AT (JUMPS_AT + LINE_BYTES)
#define TABLE_AT (EXIT_AT + LINE_BYTES)

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

enum { TARGET_HOOK, TARGET_ENTER, TARGET_PULSE, TARGET_LEAVE, TARGET_EDGE, TARGETS };

#define JUMP_IF_ZERO 0x74
#define JUMP_IF_NOT_ZERO 0x75
#define JUMP 0xeb
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

/* decl pulse(%rax); js pulse; ret */
static void put_end(struct pen *pen, uintptr_t place, const uint8_t *arena)
{
	PUT(pen, 0xff, 0x48, CONTEXT(pulse));
	put_jump(pen, place, arena, IF_NEGATIVE, TARGET_PULSE);
	PUT(pen, RETURN);
}

/* the displacement to `to`, the last part of its instruction */
static void put_distance(struct pen *pen, uintptr_t place, uintptr_t to)
{
	put_number(pen, (uint32_t)(to - (place + (uintptr_t)(pen->at - pen->start) + 4)));
}

static struct compared *compared_of(const uint8_t *arena, uint32_t place)
{
	uintptr_t all = (uintptr_t)arena + COMPARED_AT;

	return (struct compared *)all + place % PART_PLACES;
}

/* For each pair: cmp site(%rip), %rsi; jne next; mov offset(%rip), %rdx. */
static void put_compares(struct pen *pen, uintptr_t place, const uint8_t *arena,
			 uint32_t index)
{
	const struct compared *compared = compared_of(arena, index);
	uint8_t *next, *count = NULL;

	for (unsigned int i = 0; i < PAIRS; i++) {
		uintptr_t pair = (uintptr_t)&compared->pairs[i];

		PUT(pen, 0x48, 0x3b, 0x35);
		put_distance(pen, place, pair + offsetof(struct pair, site));
		next = put_short_jump(pen, JUMP_IF_NOT_ZERO);
		PUT(pen, 0x48, 0x8b, 0x15);
		put_distance(pen, place, pair + offsetof(struct pair, offset));
		if (i == 0) {
			count = pen->at;
			PUT(pen, 0x48, 0xff, 0x04, 0x11); /* incq (%rcx,%rdx) */
			put_end(pen, place, arena);
		} else {
			PUT(pen, JUMP, (uint8_t)(count - (pen->at + 2)));
		}
		land(pen, next);
	}
	PUT(pen, 0xba); /* mov $index, %edx; jmp table */
	put_number(pen, index);
	PUT(pen, 0xe9);
	put_distance(pen, place, (uintptr_t)arena + TABLE_AT);
}

/* place: where the code is going to be. */
static void write_entry(uint8_t *stub, uintptr_t place, const uint8_t *arena,
			const struct stub_entry *entry, enum stub_kind kind)
{
	struct pen pen = {stub, stub};

	PUT(&pen, 0x3b, 0x3d);
	put_distance(&pen, place, (uintptr_t)&compared_of(arena, entry->place)->function);
	put_jump(&pen, place, arena, IF_NOT_ZERO, TARGET_HOOK);
	if (kind == STUB_NOTHING) {
		PUT(&pen, RETURN);
		return;
	}
	put_load_context(&pen);
	PUT(&pen, 0x48, 0x8b, 0x48, CONTEXT(counts));
	PUT(&pen, 0x48, 0x85, 0xc9);
	put_jump(&pen, place, arena, IF_ZERO, TARGET_ENTER);
	if (entry->has_edges) {
		put_compares(&pen, place, arena, entry->place);
		return;
	}
	PUT(&pen, 0x48, 0xff, 0x81); /* incq 8*number(%rcx) */
	put_number(&pen, entry->number * 8);
	put_end(&pen, place, arena);
}

/* What follows when no pair has the site: numbers_find(), for the place in %rdx. */
static void write_table(uint8_t *code, const uint8_t *arena)
{
	const uint64_t hash = NUMBERS_HASH, table = (uintptr_t)&edge_numbers;
	struct pen pen = {code, code};
	uint8_t *found[NUMBERS_PROBES];

	PUT(&pen, 0x48, 0xc1, 0xe2, NUMBERS_ADDRESS_BITS); /* shl, %rdx */
	PUT(&pen, 0x48, 0x01, 0xf2);			   /* add %rsi, %rdx */
	PUT(&pen, 0x49, 0xb8);				   /* mov $hash, %r8 */
	put(&pen, (const uint8_t *)&hash, sizeof(hash));
	PUT(&pen, 0x4c, 0x0f, 0xaf, 0xc2); /* imul %rdx, %r8 */
	PUT(&pen, 0x49, 0xc1, 0xe8, 32);   /* shr $32, %r8 */
	PUT(&pen, 0x49, 0xb9);		   /* mov $&edge_numbers, %r9 */
	put(&pen, (const uint8_t *)&table, sizeof(table));
	PUT(&pen, 0x4d, 0x8b, 0x09); /* mov (%r9), %r9 */
	PUT(&pen, 0x4d, 0x23, 0x01); /* and mask(%r9), %r8 */
	PUT(&pen, 0x4d, 0x01, 0xc8); /* add %r9, %r8 */
	for (unsigned int i = 0; i < NUMBERS_PROBES; i++) {
		if (i > 0) /* add $16, %r8 */
			PUT(&pen, 0x49, 0x83, 0xc0, sizeof(struct numbered));
		PUT(&pen, 0x49, 0x3b, 0x50, 16); /* cmp key(%r8), %rdx */
		found[i] = put_short_jump(&pen, JUMP_IF_ZERO);
	}
	PUT(&pen, 0x48, 0xc1, 0xea, NUMBERS_ADDRESS_BITS); /* shr, %rdx */
	put_go_on(&pen, arena, TARGET_EDGE);
	for (unsigned int i = 0; i < NUMBERS_PROBES; i++)
		land(&pen, found[i]);
	PUT(&pen, 0x49, 0x8b, 0x50, 24);   /* mov offset(%r8), %rdx */
	PUT(&pen, 0x48, 0xff, 0x04, 0x11); /* incq (%rcx,%rdx) */
	put_end(&pen, (uintptr_t)code, arena);
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

/* end: of the stub, which is going to be at this place. */
static void write_slot(uint8_t *end, uintptr_t place)
{
	*(uintptr_t *)(end - SLOT_BYTES) = place;
}

static int protect(void *start, uint32_t bytes, int protection)
{
	long result;

	if (!gate_enter())
		return 0;
	result = SYSCALL(SYS_mprotect, start, bytes, protection, 0, 0, 0);
	gate_leave();
	return result == 0;
}

static int is_written(const uint8_t *place)
{
	return *(const uintptr_t *)(place + PLACE_BYTES - SLOT_BYTES) ==
	       (uintptr_t)place + stub_at[STUB_EXIT - 1];
}

static void write_place(uint8_t *stubs, uintptr_t place, const uint8_t *arena,
			const struct stub_entry *entry)
{
	for (uint32_t kind = 0; kind < STUB_EXIT; kind++) {
		uintptr_t at = place + stub_at[kind];

		write_entry(stubs + stub_at[kind], at, arena, entry,
			    (enum stub_kind)kind);
		write_slot(stubs + stub_at[kind + 1], at);
	}
}

/* Writes all stubs of a page, which nobody runs yet. first: its first place. */
static int write_page(const uint8_t *arena, const uint8_t *page, uint32_t first)
{
	static _Alignas(8) uint8_t code[PLACES_PER_PAGE * PLACE_BYTES];

	for (uint32_t i = 0; i < PLACES_PER_PAGE; i++)
		write_place(code + i * PLACE_BYTES, (uintptr_t)page + i * PLACE_BYTES,
			    arena,
			    &(struct stub_entry){.place = first + i, .has_edges = 1});
	return text_compose((uintptr_t)page, code, sizeof(code)) == 0;
}

/* Writes stubs that compare no sites, while others of the page may run. */
static int write_own(const uint8_t *arena, const uint8_t *place,
		     const struct stub_entry *entry)
{
	_Alignas(8) uint8_t code[PLACE_BYTES] = {0};

	write_place(code, (uintptr_t)place, arena, entry);
	return text_compose((uintptr_t)place, code, sizeof(code)) == 0;
}

static int write_stubs(const uint8_t *arena, const uint8_t *page,
		       const struct stub_entry *entry)
{
	uint32_t in_page = entry->place % PART_PLACES % PLACES_PER_PAGE;
	const uint8_t *place = page + in_page * PLACE_BYTES;
	struct compared *compared = compared_of(arena, entry->place);

	if (compared->function)
		return 1;
	if ((!is_written(place) && !write_page(arena, page, entry->place - in_page)) ||
	    (!entry->has_edges && !write_own(arena, place, entry)))
		return 0;
	compared->function = entry->function;
	return 1;
}

static int begin_arena(uint8_t *start)
{
	uintptr_t *targets = (uintptr_t *)(start + TARGETS_AT);
	uint8_t *stub = start + EXIT_AT;

	if (!protect(start, PAGE_BYTES, PROT_READ | PROT_WRITE) ||
	    !protect(start + COMPARED_AT, COMPARED_BYTES, PROT_READ | PROT_WRITE))
		return 0;
	arena_image_write(start);
	targets[TARGET_HOOK] = stub_targets.enter_hook;
	targets[TARGET_ENTER] = (uintptr_t)stub_targets.enter;
	targets[TARGET_PULSE] = (uintptr_t)stub_targets.pulse;
	targets[TARGET_LEAVE] = (uintptr_t)stub_targets.leave;
	targets[TARGET_EDGE] = (uintptr_t)stub_targets.edge;
	for (unsigned int target = 0; target < TARGETS; target++) {
		struct pen pen = {start + JUMPS_AT + 8 * target, start};

		put_go_on(&pen, start, target);
	}
	write_exit(stub, start);
	write_slot(stub + LINE_BYTES, (uintptr_t)stub);
	write_table(start + TABLE_AT, start);
	return protect(start, PAGE_BYTES, PROT_READ | PROT_EXEC);
}

/* The arena in reach that has the place, made when there is none; NULL: there is no
 * room for one. */
static uint8_t *find_arena(const struct stub_site *site, enum stub_kind kind,
			   uint32_t place)
{
	uint32_t part = place / PART_PLACES;
	uint32_t index = arenas_find(site->at, kind == STUB_EXIT ? ARENA_ANY_PART : part,
				     site->hook, site->needs_pads);
	uint8_t *start;

	if (index != ARENA_LIMIT)
		return (uint8_t *)arenas_start(index);
	start = arenas_map(site->at, site->object, site->hook);
	if (!start)
		return NULL;
	if (!begin_arena(start)) {
		process_unmap(start, ARENA_BYTES);
		return NULL;
	}
	arenas_add(start, part, site->hook);
	return start;
}

/* Behind the first page of pads, and so on. */
static uint32_t page_at(uint32_t code_page)
{
	return 2 + code_page + code_page / (PAD_PAGES_APART - 1);
}

uintptr_t stubs_find(const struct stub_site *site, enum stub_kind kind,
		     const struct stub_entry *entry, const uintptr_t **ret_slot)
{
	uint8_t *arena = find_arena(site, kind, entry->place), *stub, *end;
	uint32_t index = entry->place % PART_PLACES;

	if (!arena)
		return 0;
	stub = arena + EXIT_AT;
	end = stub + LINE_BYTES;
	if (kind != STUB_EXIT) {
		uint8_t *page = arena + page_at(index / PLACES_PER_PAGE) * PAGE_BYTES;
		uint8_t *place = page + index % PLACES_PER_PAGE * PLACE_BYTES;

		if (!write_stubs(arena, page, entry))
			return 0;
		stub = place + stub_at[kind];
		end = place + stub_at[kind + 1];
	}
	*ret_slot = (const uintptr_t *)(end - SLOT_BYTES);
	return (uintptr_t)stub;
}

#define BOARD_DISTANCE 256u
#define BOARD_BYTES 8u /* a jump, and room */

/* The boards' offset in each BOARD_DISTANCE bytes; BOARD_DISTANCE: there are none. */
static uint32_t board_offset(uintptr_t hook)
{
	uint32_t offset = hook % BOARD_DISTANCE;

	return hook && offset <= BOARD_DISTANCE - BOARD_BYTES ? offset : BOARD_DISTANCE;
}

/* The arena with this address, and its hook; NULL: there is none. */
static uint8_t *arena_with(uintptr_t address, uintptr_t *ret_hook)
{
	uintptr_t start;

	for (uint32_t i = 0; (start = arenas_start(i)); i++) {
		if (address - start >= ARENA_BYTES)
			continue;
		*ret_hook = arenas_hook(i);
		return (uint8_t *)start;
	}
	return NULL;
}

int stubs_has_pad(uintptr_t at)
{
	uintptr_t hook;
	uint8_t *arena = arena_with(at, &hook), code[6];
	struct pen pen = {code, code};

	if (!arena || board_offset(hook) == BOARD_DISTANCE ||
	    (at - hook) % ARENA_PADS_BYTES != 0 || at >= (uintptr_t)arena + COMPARED_AT)
		return 0;
	if (*(const uint8_t *)at)
		return 1;
	PUT(&pen, 0xff, 0x25); /* jmp *targets[hook](%rip) */
	put_distance(&pen, at, (uintptr_t)arena + TARGETS_AT + 8 * TARGET_HOOK);
	return text_compose(at, code, sizeof(code)) == 0;
}

/* jmp stub. Writes it if the place is free. 0: the place jumps elsewhere. */
static int is_board(uint8_t *at, uintptr_t stub)
{
	int32_t distance = (int32_t)(stub - ((uintptr_t)at + 5)), found;
	uint8_t code[5];
	struct pen pen = {code, code};

	if (*at) {
		__builtin_memcpy(&found, at + 1, sizeof(found));
		return found == distance;
	}
	PUT(&pen, 0xe9);
	put_number(&pen, (uint32_t)distance);
	return text_compose((uintptr_t)at, code, sizeof(code)) == 0;
}

uintptr_t stubs_board(uintptr_t stub, uintptr_t hook)
{
	uintptr_t own_hook;
	uint8_t *arena = arena_with(stub, &own_hook);
	uint32_t offset = board_offset(hook);

	if (!arena || own_hook != hook || offset == BOARD_DISTANCE)
		return 0;
	for (uint32_t i = 0; i < PAD_PAGES * PAGE_BYTES / BOARD_DISTANCE; i++) {
		uint32_t at = i * BOARD_DISTANCE % PAGE_BYTES + offset;
		uint32_t page = 1 + i * BOARD_DISTANCE / PAGE_BYTES * PAD_PAGES_APART;

		if (at != hook % PAGE_BYTES &&
		    is_board(arena + page * PAGE_BYTES + at, stub))
			return (uintptr_t)arena + page * PAGE_BYTES + at;
	}
	return 0;
}

/* 0: all pairs have other sites. */
static int put_pair(struct pair *pairs, uintptr_t site, uint32_t number)
{
	for (uint32_t i = 0; i < PAIRS; i++) {
		if (pairs[i].site && pairs[i].site != site)
			continue;
		pairs[i].offset = number * 8ull;
		/* release: a stub that finds the site finds its offset */
		__atomic_store_n(&pairs[i].site, site, __ATOMIC_RELEASE);
		return 1;
	}
	return 0;
}

void stubs_tell(uint32_t place, uintptr_t call_site, uint32_t number)
{
	int is_paired = 1;
	uintptr_t start;

	for (uint32_t i = 0; (start = arenas_start(i)); i++) {
		if (arenas_part(i) == place / PART_PLACES)
			is_paired &= put_pair(
				compared_of((const uint8_t *)start, place)->pairs,
				call_site, number);
	}
	if (!is_paired)
		numbers_put(&edge_numbers, edge_key(place, call_site), number);
}

void stubs_forget(uintptr_t low, uintptr_t high)
{
	uintptr_t start;

	for (uint32_t i = 0; (start = arenas_start(i)); i++) {
		struct compared *all = compared_of((const uint8_t *)start, 0);

		for (uint32_t at = 0; at < PART_PLACES * PAIRS; at++) {
			struct pair *pair = &all[at / PAIRS].pairs[at % PAIRS];

			if (pair->site >= low && pair->site < high)
				__atomic_store_n(&pair->site, 0, __ATOMIC_RELEASE);
		}
	}
	numbers_forget(edge_numbers, low, high);
}
