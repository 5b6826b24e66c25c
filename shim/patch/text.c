/* SPDX-License-Identifier: MIT */
/*
 * Makes code writable, writes it and protects it again. Runs on: as text.h.
 *
 * PROTECTION. Reading a page's protection for each write is too slow: /proc/self/maps
 * takes 60 us. But one short call tells whether a page is writable. A writable one was
 * made so by the program and stays so. Others get the protection in the object's program
 * header. (Writing to /proc/self/mem would need no protection at all. But the kernel
 * copies byte by byte on processors with a fast `rep movsb`, so other threads would call
 * half of an address; and our descriptor would be open while they fork or count theirs.)
 */
#include "shim/patch/text.h"

#include <cpuid.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "common/attributes.h"
#include "shim/core/clock.h"
#include "shim/core/own_memory.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/patch/numbers.h"

#define PAGE_BYTES 4096u
#define LINE_BYTES 64u
#define WORD_BYTES 8u
#define OPEN_PAGES 64u
#define LEFT_EXTENTS 64u

/* Pages that are writable now. A forked child inherits the list and protects the pages
 * that its parent had open. */
static struct {
	uintptr_t page;
	int protection;
} open_pages[OPEN_PAGES];
static uint32_t open_count;
static uint32_t batch_depth;
static int is_forbidden;
uint32_t text_is_closed;

static struct extent left_alone[LEFT_EXTENTS];
static uint32_t left_alone_count;

static struct numbers *own_pages = &numbers_none; /* that have been written */
static int has_written;				  /* something to the program's code */

/*
 * Intel's manual (volume 3, 8.1.1) has stores within a cache line carried out whole,
 * AMD's (volume 2, 7.3.2) those within eight aligned bytes, which HotSpot goes by
 * wherever it runs. Neither says that of fetches of instructions.
 */
unsigned int text_unit(void)
{
	static unsigned int unit;
	unsigned int most, vendor[3];

	if (!unit) {
		__cpuid(0, most, vendor[0], vendor[2], vendor[1]);
		unit = __builtin_memcmp(vendor, "GenuineIntel", 12) == 0 ? LINE_BYTES
									 : WORD_BYTES;
	}
	return unit;
}

int text_is_split(uintptr_t at, unsigned int size)
{
	return at / text_unit() != (at + size - 1) / text_unit();
}

static long call_barrier(int command)
{
	return SYSCALL(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

/* Does nothing under a seccomp filter, which may kill for an unknown call. */
int text_sync(void)
{
	long result = -1;

	if (!gate_enter())
		return -EACCES;
	if (SYSCALL(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) == 0) {
		result = call_barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
		if (result == -EPERM &&
		    call_barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) ==
			    0)
			result = call_barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
	}
	gate_leave();
	return result == 0 ? 0 : -EACCES;
}

int text_is_left(uintptr_t low, uintptr_t high)
{
	for (uint32_t i = 0; i < left_alone_count; i++) {
		if (low >= left_alone[i].low && high <= left_alone[i].high)
			return 1;
	}
	return 0;
}

void text_leave(uintptr_t low, uintptr_t high)
{
	if (text_is_left(low, high))
		return;
	if (left_alone_count == LEFT_EXTENTS)
		is_forbidden = 1;
	else
		left_alone[left_alone_count++] = (struct extent){low, high};
}

/* From now on calls of counted functions come to the hooks. */
static void close_for_good(void)
{
	text_is_closed = 1;
	clock_comes_first = 0;
}

static int change(uintptr_t page, int protection)
{
	return SYSCALL(SYS_mprotect, page, PAGE_BYTES, protection, 0, 0, 0) < 0 ? -EACCES
										: 0;
}

/* Inside the gate, no filter can be installed that forbids closing the pages. */
static int enter(void)
{
	if (!is_forbidden && gate_enter())
		return 1;
	close_for_good();
	return 0;
}

/* A page that cannot be closed now (too many mappings) is tried again the next time. */
static void close_pages(void)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < open_count; i++) {
		if (change(open_pages[i].page, open_pages[i].protection) < 0)
			open_pages[left++] = open_pages[i];
	}
	open_count = left;
}

static void note_own(uintptr_t page)
{
	if (!numbers_find(&own_pages, page) && numbers_put(&own_pages, page, 1))
		process_count(SEGMENT_COUNTER_TOOL_BYTES, PAGE_BYTES);
}

static int is_open(uintptr_t page)
{
	for (uint32_t i = 0; i < open_count; i++) {
		if (open_pages[i].page == page)
			return 1;
	}
	return 0;
}

static int open_page(uintptr_t page, int protection)
{
	int result;

	open_pages[open_count].page = page;
	open_pages[open_count].protection = protection;
	open_count++; /* list it before it is writable: a child forked here finds it */
	result = change(page, protection | PROT_WRITE);
	if (result == 0) {
		note_own(page);
		return 0;
	}
	open_count--;
	if (!has_written)
		close_for_good();
	return result;
}

/* Writes unless something else is there. Four bytes need not be aligned. */
static int exchange_four(const struct text_change *change)
{
	uint32_t from, to, found;

	__builtin_memcpy(&from, change->from, 4);
	__builtin_memcpy(&to, change->to, 4);
	found = from;
	__asm__ volatile("lock cmpxchgl %2, %1"
			 : "+a"(found), "+m"(*(uint32_t *)change->at)
			 : "r"(to)
			 : "memory", "cc");
	return found == from ? 0 : -ESTALE;
}

static uint64_t in_word(const struct text_change *change, const uint8_t *bytes)
{
	uint64_t word = 0;

	for (unsigned int i = 0; i < change->size; i++)
		word |= (uint64_t)bytes[i] << 8 * (change->at % WORD_BYTES + i);
	return word;
}

/* The same for fewer bytes, in one aligned word. */
static int exchange_in_word(const struct text_change *change)
{
	static const uint8_t all[] = {0xff, 0xff, 0xff};
	uint64_t mask = in_word(change, all), from = in_word(change, change->from);
	uint64_t to = in_word(change, change->to);
	uint64_t *word = (uint64_t *)(change->at & ~(WORD_BYTES - 1ul));
	uint64_t found = __atomic_load_n(word, __ATOMIC_RELAXED);

	do {
		if ((found & mask) != from)
			return -ESTALE;
	} while (!__atomic_compare_exchange_n(word, &found, (found & ~mask) | to, 0,
					      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return 0;
}

static int exchange(const struct text_change *change)
{
	return change->size == 4 ? exchange_four(change) : exchange_in_word(change);
}

/* Opens the page of this address, unless the program has made it writable. (It never does
 * that to pages of ours.) */
static int open_for(const struct text_change *change, uintptr_t at)
{
	uintptr_t page = at & ~(PAGE_BYTES - 1ul);

	if (is_open(page) || (change->from && writable_address(at)))
		return 0;
	return open_page(page, change->protection);
}

static int begin_change(const struct text_change *change)
{
	int result;

	if (!enter())
		return -EACCES;
	if (open_count > OPEN_PAGES - 2)
		close_pages();
	result = open_count > OPEN_PAGES - 2 || text_is_left(change->at, change->at + 1)
			 ? -EACCES
			 : open_for(change, change->at);
	if (result < 0)
		gate_leave();
	return result;
}

static void end_change(void)
{
	if (!batch_depth)
		close_pages();
	gate_leave();
}

int text_write(const struct text_change *change)
{
	int result;

	if (text_is_split(change->at, change->size))
		return -EXDEV;
	result = begin_change(change);
	if (result < 0)
		return result;
	result = exchange(change);
	has_written |= result == 0;
	end_change();
	return result;
}

static int is_there(const struct text_change *change)
{
	const uint8_t *from = change->from;

	for (unsigned int i = 0; from && i < change->size; i++) {
		if (((const volatile uint8_t *)change->at)[i] != from[i])
			return 0;
	}
	return 1;
}

int text_write_parts(const struct text_change *change)
{
	const uint8_t *to = change->to;
	int result = begin_change(change);

	if (result < 0)
		return result;
	result = open_for(change, change->at + change->size - 1);
	if (result == 0 && !is_there(change))
		result = -ESTALE;
	for (unsigned int i = 0; result == 0 && i < change->size; i++)
		((volatile uint8_t *)change->at)[i] = to[i];
	end_change();
	return result;
}

int text_compose(uintptr_t at, const void *bytes, unsigned int size)
{
	/* what is there is no code yet */
	return text_write_parts(
		&(struct text_change){.at = at,
				      .to = bytes,
				      .size = size,
				      .protection = PROT_READ | PROT_EXEC});
}

int text_begin(void)
{
	if (!enter())
		return -EACCES;
	if (!batch_depth++)
		close_pages();
	return 0;
}

void text_end(void)
{
	if (!--batch_depth)
		close_pages();
	gate_leave();
}

int text_forked(void)
{
	int was_open = open_count != 0;

	if (batch_depth) /* avoid a write, which would copy the page */
		batch_depth = 0;
	if (was_open && gate_enter()) {
		close_pages();
		gate_leave();
	}
	return was_open;
}

void text_forbid(void)
{
	is_forbidden = 1;
	close_for_good();
}
