/* SPDX-License-Identifier: MIT */
/* Pages of code: made writable, written, made what they were. */
#include "shim/patch/text.h"

#include <errno.h>
#include <sys/mman.h>

#include "shim/core/gate.h"
#include "shim/core/process.h"

#define PAGE_BYTES 4096u
#define LINE_BYTES 64u
#define OPEN_PAGES 64u
#define OWN_PAGES 4096u /* 16 MiB of code; what is beyond is not told apart */

/* Pages that are writable now. They are private memory that a forked child inherits:
 * text_begin() there makes good what its parent was in the middle of. */
static struct {
	uintptr_t page;
	int protection;
} open_pages[OPEN_PAGES];
static uint32_t open_count;
static int is_batch;

/* Numbers of pages that have been written, a hash table. */
static uint32_t own_pages[OWN_PAGES];
static uint32_t own_count;

static int change(uintptr_t page, int protection)
{
	long result;

	/* what can be done without is not done under a filter */
	if (gate_is_restricted() || !gate_enter())
		return -EACCES;
	result = SYSCALL(SYS_mprotect, page, PAGE_BYTES, protection, 0, 0, 0);
	gate_leave();
	return result < 0 ? -EACCES : 0;
}

static void close_pages(void)
{
	while (open_count) {
		open_count--;
		change(open_pages[open_count].page, open_pages[open_count].protection);
	}
}

static void note_own(uintptr_t page)
{
	uint32_t number = (uint32_t)(page / PAGE_BYTES), at;

	if (own_count > OWN_PAGES / 4 * 3)
		return;
	for (at = number * 0x9e3779b1u % OWN_PAGES; own_pages[at];
	     at = (at + 1) % OWN_PAGES) {
		if (own_pages[at] == number)
			return;
	}
	own_pages[at] = number;
	own_count++;
	process_count(SEGMENT_COUNTER_TOOL_BYTES, PAGE_BYTES);
}

static int open_page(uintptr_t page, int protection)
{
	int result;

	for (uint32_t i = 0; i < open_count; i++) {
		if (open_pages[i].page == page)
			return 0;
	}
	if (open_count == OPEN_PAGES)
		close_pages();
	open_pages[open_count].page = page;
	open_pages[open_count].protection = protection;
	open_count++; /* before it is writable: whoever is forked here finds it */
	result = change(page, protection | PROT_WRITE);
	if (result < 0)
		open_count--;
	else
		note_own(page);
	return result;
}

static void store(uintptr_t at, const void *bytes, unsigned int size)
{
	uint32_t four;
	uint16_t two;

	if (size == 4) {
		__builtin_memcpy(&four, bytes, 4);
		__asm__ volatile("movl %1, %0" : "=m"(*(uint32_t *)at) : "r"(four));
	} else if (size == 2) {
		__builtin_memcpy(&two, bytes, 2);
		__asm__ volatile("movw %1, %0" : "=m"(*(uint16_t *)at) : "r"(two));
	} else {
		*(volatile uint8_t *)at = *(const uint8_t *)bytes;
	}
}

int text_write(const struct code *code, uintptr_t at, const void *bytes,
	       unsigned int size)
{
	int result;

	if (at / LINE_BYTES != (at + size - 1) / LINE_BYTES)
		return -EXDEV;
	if (at < code->text.low || at + size > code->text.high)
		return -EINVAL;
	result = open_page(at & ~(PAGE_BYTES - 1ul), code->protection);
	if (result < 0)
		return result;
	store(at, bytes, size);
	if (!is_batch)
		close_pages();
	return 0;
}

void text_begin(void)
{
	close_pages();
	is_batch = 1;
}

void text_end(void)
{
	is_batch = 0;
	close_pages();
}
