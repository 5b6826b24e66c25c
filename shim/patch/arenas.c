/* SPDX-License-Identifier: MIT */
/*
 * Where arenas are mapped, their table, and the image that unwinders read. Runs on: as
 * arenas.h says.
 *
 * Why not __register_frame_info(): once an object is registered, libgcc before version 13
 * takes a lock for every frame of every exception. Also libgcc may be there twice or be
 * loaded later, and libunwind does not ask it.
 */
#include "shim/patch/arenas.h"

#include <elf.h>
#include <stddef.h>
#include <sys/mman.h>

#include "shim/core/gate.h"
#include "shim/core/process.h"

#define PAGE_BYTES 4096ul
#define REACH 0x7f000000ull /* of a 32-bit displacement, and room to be wrong */
#define LOWEST_ADDRESS 0x10000u
#define MAP_NOT_OVER_OTHERS 0x100000 /* MAP_FIXED_NOREPLACE */
/* How far a heap is moved if need be; and how far behind the program the kernel may begin
 * it: 32 MiB, or 1 GiB since Linux 6.9. */
#define ROOM_BYTES (8ul << 20)
#define HEAP_NEAREST (32ul << 20)
#define HEAP_FARTHEST (1ul << 30)
#define HOPELESS_ASKS 64

static struct {
	uintptr_t start, hook;
	uint32_t part;
} arenas[ARENA_LIMIT];
static uint32_t arena_count;

/* An object without an arena in reach, and how often one was asked for since. */
static struct {
	uintptr_t object;
	uint32_t asked_count;
} hopeless;

/* A program linked to its address: where it begins, and what is free behind it. */
static struct {
	uintptr_t low;
	struct extent room;
	uintptr_t heap; /* where the break began, or 0: nothing of ours is below it */
} fixed_program;

static uintptr_t page_of(uintptr_t address)
{
	return address & ~(PAGE_BYTES - 1);
}

/* Moves the heap, which nobody uses yet. Returns where it begins now. */
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
	fixed_program.room =
		(struct extent){program->high + PAGE_BYTES, page_of(heap) - PAGE_BYTES};
}

uintptr_t arenas_heap(void)
{
	return fixed_program.heap;
}

/* The highest start, at or below address, that puts the pages of pads a multiple of
 * ARENA_PADS_BYTES from the hook's page. */
static uintptr_t aligned(uintptr_t address, uintptr_t hook)
{
	return address -
	       ((address + PAGE_BYTES - page_of(hook)) & (ARENA_PADS_BYTES - 1));
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
	/* undo the program's mlockall(MCL_FUTURE) for it */
	if (!syscall_failed(result) && own_memory_expects_locks())
		SYSCALL(SYS_munlock, result, ARENA_BYTES, 0, 0, 0, 0);
	gate_leave();
	return syscall_failed(result) ? NULL : (uint8_t *)result;
}

/* Maps in the room behind the program, from its end downwards. */
static uint8_t *map_in_room(uintptr_t hook)
{
	struct extent *room = &fixed_program.room;

	while (room->high >= room->low + ARENA_BYTES + ARENA_PADS_BYTES) {
		uintptr_t start = aligned(room->high - ARENA_BYTES, hook);
		uint8_t *mapped = map_at(start);

		room->high = start;
		if (mapped)
			return mapped;
	}
	return NULL;
}

/* Maps below an object at a random address, and below the arenas there; above the program
 * lies its heap. Our own mappings may fill a gigabyte below all libraries and are passed
 * in one step. Other mappings are passed in steps that grow by an eighth, so that a hole
 * is found if its size is a quarter of its distance. */
static uint8_t *map_below(uintptr_t object, uintptr_t hook)
{
	uintptr_t end = page_of(object), step = ARENA_PADS_BYTES;

	for (uint32_t i = 0; i < arena_count; i++) {
		if (arenas[i].start < end && is_in_reach(object, arenas[i].start))
			end = arenas[i].start;
	}
	while (end > LOWEST_ADDRESS + ARENA_BYTES + ARENA_PADS_BYTES + step &&
	       is_in_reach(object, end)) {
		uintptr_t start = aligned(end - PAGE_BYTES - ARENA_BYTES, hook);
		struct extent own;
		uint8_t *mapped;

		if (own_memory_find(start, start + ARENA_BYTES, &own)) {
			end = own.low;
			continue;
		}
		mapped = map_at(start);
		if (mapped)
			return mapped;
		end -= step;
		step += (step / 8 + ARENA_PADS_BYTES - 1) &
			~(uintptr_t)(ARENA_PADS_BYTES - 1);
	}
	return NULL;
}

/* Do not search again for a while where nothing was found: each call site asks. */
static int is_hopeless(uintptr_t object)
{
	if (object != hopeless.object || !hopeless.asked_count)
		return 0;
	hopeless.asked_count = (hopeless.asked_count + 1) % HOPELESS_ASKS;
	return 1;
}

uint8_t *arenas_map(uintptr_t site, uintptr_t object, uintptr_t hook)
{
	int is_fixed = object && object == fixed_program.low;
	uint8_t *start;

	if (arena_count == ARENA_LIMIT || is_hopeless(object))
		return NULL;
	start = is_fixed ? map_in_room(hook) : map_below(object, hook);
	if (start && !is_in_reach(site, (uintptr_t)start)) {
		process_unmap(start, ARENA_BYTES);
		start = NULL;
	}
	if (!start) {
		hopeless.object = object;
		hopeless.asked_count = 1;
	}
	return start;
}

uint32_t arenas_find(uintptr_t site, uint32_t part, uintptr_t hook, int has_to_be)
{
	uint32_t found = ARENA_LIMIT;

	for (uint32_t i = 0; i < arena_count; i++) {
		if ((part != ARENA_ANY_PART && arenas[i].part != part) ||
		    !is_in_reach(site, arenas[i].start))
			continue;
		if (arenas[i].hook == hook)
			return i;
		found = i;
	}
	/* keep half of the table for other parts */
	return has_to_be && arena_count <= ARENA_LIMIT / 2 ? ARENA_LIMIT : found;
}

void arenas_add(uint8_t *start, uint32_t part, uintptr_t hook)
{
	uint32_t index = arena_count;

	own_memory_add(start, ARENA_BYTES);
	process_count(SEGMENT_COUNTER_TOOL_BYTES, PAGE_BYTES);
	arenas[index].start = (uintptr_t)start;
	arenas[index].part = part;
	arenas[index].hook = hook;
	/* release: pairs with the acquire in arenas_start() */
	__atomic_store_n(&arena_count, index + 1, __ATOMIC_RELEASE);
}

uintptr_t arenas_hook(uint32_t index)
{
	return arenas[index].hook;
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

/* The last one takes its place: a concurrent reader finds that one twice, or here. */
void arenas_give_up(uintptr_t start)
{
	uint32_t index = 0, last = arena_count - 1;

	while (index < last && arenas[index].start != start)
		index++;
	own_memory_remove((void *)start);
	arenas[index] = arenas[last];
	__atomic_store_n(&arena_count, last, __ATOMIC_RELEASE);
}

/* The call frame information: LSB Core, chapter 10; DWARF 4, section 6.4. */
struct arena_image {
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[3];
	ElfW(Dyn) dynamic; /* its end: there is nothing to link */
	struct link_map map;
	char name[16];
	struct {
		uint8_t version, pointer_encoding, count_encoding, table_encoding;
		int32_t frames;
		uint32_t count;
		int32_t start, entry;
	} table;
	struct {
		uint32_t size;
		uint8_t content[20];
	} common;
	struct {
		uint32_t size, back;
		int32_t start;
		uint32_t code_bytes;
		uint8_t rest[4];
		uint32_t end;
	} entry;
};

_Static_assert(sizeof(struct arena_image) <= ARENA_IMAGE_BYTES, "room for it");

#define AT(member) offsetof(struct arena_image, member)
#define FROM_TO(from, to) (int32_t)((int64_t)AT(to) - (int64_t)AT(from))
#define SEGMENT(type, flags, at, size, alignment)                                        \
	{                                                                                \
		.p_type = (type), .p_flags = (flags), .p_offset = (at), .p_vaddr = (at), \
		.p_paddr = (at), .p_filesz = (size), .p_memsz = (size),                  \
		.p_align = (alignment)                                                   \
	}

/* The canonical frame address is 8 above the stack pointer, the return address just below
 * it, and no register has been changed that a function keeps. */
static const struct arena_image image_of_all = {
	.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			       ELFDATA2LSB, EV_CURRENT, ELFOSABI_SYSV},
		   .e_type = ET_DYN,
		   .e_machine = EM_X86_64,
		   .e_version = EV_CURRENT,
		   .e_phoff = AT(segments),
		   .e_ehsize = sizeof(ElfW(Ehdr)),
		   .e_phentsize = sizeof(ElfW(Phdr)),
		   .e_phnum = 3},
	.segments = {SEGMENT(PT_LOAD, PF_R | PF_X, 0, ARENA_BYTES, PAGE_BYTES),
		     SEGMENT(PT_GNU_EH_FRAME, PF_R, AT(table), sizeof(image_of_all.table),
			     8),
		     SEGMENT(PT_DYNAMIC, PF_R, AT(dynamic), sizeof(ElfW(Dyn)), 8)},
	.name = "profshim-stubs",
	.table = {.version = 1,
		  .pointer_encoding = 0x1b, /* relative to where it stands, 32 bits */
		  .count_encoding = 0x03,   /* 32 bits */
		  .table_encoding = 0x3b,   /* relative to the table, 32 bits */
		  .frames = FROM_TO(table.frames, common),
		  .count = 1,
		  .start = FROM_TO(table, header),
		  .entry = FROM_TO(table, entry)},
	.common = {.size = sizeof(image_of_all.common.content),
		   .content = {0, 0, 0, 0,  /* it is common information */
			       1,	    /* version */
			       'z', 'R', 0, /* the entries' encoding follows */
			       1, 0x78,	    /* factors: 1 for code, -8 for data */
			       16,	    /* the return address has this number */
			       1, 0x1b,	    /* relative to where it stands, in 32 bits */
			       0x0c, 7, 8,  /* DW_CFA_def_cfa: %rsp + 8 */
			       0x90,
			       1}}, /* DW_CFA_offset: of the return address, 1 * -8 */
	.entry = {.size = AT(entry.end) - AT(entry.back),
		  .back = FROM_TO(common, entry.back),
		  .start = FROM_TO(entry.start, header),
		  .code_bytes = ARENA_BYTES},
};

void arena_image_write(uint8_t *start)
{
	struct arena_image *image = (struct arena_image *)start;
	const uint8_t *from = (const uint8_t *)&image_of_all;

	/* Volatile, so that no compiler makes this a call of memcpy(). */
	for (uint32_t i = 0; i < sizeof(*image); i++)
		((volatile uint8_t *)start)[i] = from[i];
	image->map.l_addr = (uintptr_t)start;
	image->map.l_name = image->name;
	image->map.l_ld = &image->dynamic;
}

void arena_image_find(uintptr_t start, struct dl_find_object *ret)
{
	struct arena_image *image = (struct arena_image *)start;

	*ret = (struct dl_find_object){
		.dlfo_map_start = image,
		.dlfo_map_end = (uint8_t *)image + image->segments[0].p_memsz,
		.dlfo_link_map = &image->map,
		.dlfo_eh_frame = &image->table,
	};
}

void arena_image_tell(uintptr_t start, struct dl_phdr_info *ret)
{
	const struct arena_image *image = (const struct arena_image *)start;

	*ret = (struct dl_phdr_info){.dlpi_addr = start,
				     .dlpi_name = image->name,
				     .dlpi_phdr = image->segments,
				     .dlpi_phnum = image->header.e_phnum};
}
