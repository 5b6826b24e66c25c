/* SPDX-License-Identifier: MIT */
/*
 * The ring of a software event (perf_event_open(2)). A sample has: header, address,
 * clock; with registers: ABI, frame pointer, stack pointer, address in user mode; with a
 * stack: its size, the stack, how much of that is there.
 */
#include "shim/samples/ring.h"

#include <sys/mman.h>

#include "common/sampling_event.h"
#include "common/segment_samples.h"
#include "shim/core/syscall.h"

#define SHORT_BYTES 24u
#define REGISTERS_END 56u
#define STACK_OFFSET 64u

long ring_open(uint64_t period_ns, uint32_t data_pages, enum ring_more more)
{
	struct perf_event_attr attributes = sampling_event(period_ns);
	long event, ring;

	if (more & RING_STACKS)
		sampling_add_stack(&attributes);
	if (more & RING_KERNEL)
		sampling_add_kernel(&attributes);
	ring = event = SYSCALL(SYS_perf_event_open, &attributes, 0, -1, -1,
			       PERF_FLAG_FD_CLOEXEC, 0);
	if (event >= 0) {
		ring = SYSCALL(SYS_mmap, NULL, (1ul + data_pages) * RING_PAGE_BYTES,
			       PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
		SYSCALL(SYS_close, event, 0, 0, 0, 0, 0);
	}
	return ring;
}

void ring_close(void *ring, uint32_t data_pages)
{
	SYSCALL(SYS_munmap, ring, (1ul + data_pages) * RING_PAGE_BYTES, 0, 0, 0, 0);
}

const volatile uint64_t *ring_head(const void *ring)
{
	const struct perf_event_mmap_page *page = ring;

	return (const volatile uint64_t *)&page->data_head;
}

/* Records are multiples of 8 bytes, and may be in two parts. */
static volatile uint64_t *word_at(const struct ring_data *data, uint64_t at)
{
	return (volatile uint64_t *)(void *)((char *)data->start + at % data->bytes);
}

/* Of a record of so many bytes, which may be damaged. */
static void read_stack(const struct ring_data *data, uint64_t at, uint64_t bytes,
		       struct ring_record *ret)
{
	uint64_t size = *word_at(data, at + REGISTERS_END), there;

	if (size == 0 || size % 8 || size > bytes - STACK_OFFSET - 8)
		return;
	there = *word_at(data, at + STACK_OFFSET + size);
	ret->frame_pointer = *word_at(data, at + 32);
	ret->stack_pointer = *word_at(data, at + 40);
	ret->stack_at = at + STACK_OFFSET;
	ret->stack_bytes = there < size ? there : size;
}

/* Where the program was in user mode. */
static uint64_t read_address(const struct ring_data *data, uint64_t at, int has_registers)
{
	uint64_t mode = *word_at(data, at) >> 32 & PERF_RECORD_MISC_CPUMODE_MASK;

	if (mode != PERF_RECORD_MISC_KERNEL)
		return *word_at(data, at + 8);
	return has_registers ? *word_at(data, at + 48) : SEGMENT_SAMPLE_FOLDED;
}

static void read_sample(const struct ring_data *data, uint64_t at, uint64_t bytes,
			struct ring_record *ret)
{
	int has_registers = bytes >= REGISTERS_END &&
			    *word_at(data, at + 24) == PERF_SAMPLE_REGS_ABI_64;

	ret->address = read_address(data, at, has_registers);
	ret->clock_ns = *word_at(data, at + 16);
	if (has_registers && bytes > STACK_OFFSET)
		read_stack(data, at, bytes, ret);
}

int ring_read(const struct ring_data *data, uint64_t head, uint64_t *tail,
	      struct ring_record *ret)
{
	uint64_t at = *tail, header = *word_at(data, at);
	uint32_t type = (uint32_t)header;
	uint64_t bytes = header >> 48;

	*ret = (struct ring_record){.address = 0};
	if (bytes < 8 || bytes % 8 || bytes > head - at || head - at > data->bytes) {
		*tail = head;
		return 0;
	}
	if (type == PERF_RECORD_SAMPLE && bytes >= SHORT_BYTES) {
		read_sample(data, at, bytes, ret);
	} else if (type == PERF_RECORD_LOST && bytes >= SHORT_BYTES) {
		ret->lost_count = *word_at(data, at + 16);
	}
	*tail = at + bytes;
	return 1;
}

uint64_t ring_record_bytes(const struct ring_record *record)
{
	return record->stack_bytes ? STACK_OFFSET + record->stack_bytes + 8 : SHORT_BYTES;
}

void ring_write(const struct ring_data *data, uint64_t head,
		const struct ring_record *record)
{
	const uint64_t words[] = {ring_record_bytes(record) << 48 | PERF_RECORD_SAMPLE,
				  record->address,
				  record->clock_ns,
				  PERF_SAMPLE_REGS_ABI_64,
				  record->frame_pointer,
				  record->stack_pointer,
				  record->address,
				  record->stack_bytes};
	const uint64_t *stack = (const uint64_t *)record->stack_pointer;
	uint64_t count = record->stack_bytes / 8, first = STACK_OFFSET / 8;

	for (uint64_t i = 0; i < (count ? first : SHORT_BYTES / 8); i++)
		*word_at(data, head + i * 8) = words[i];
	for (uint64_t i = 0; i < count; i++)
		*word_at(data, head + (first + i) * 8) = stack[i];
	if (count)
		*word_at(data, head + (first + count) * 8) = record->stack_bytes;
}

int ring_word(const struct ring_data *data, const struct ring_record *record,
	      uint64_t address, uint64_t *ret)
{
	uint64_t offset = address - record->stack_pointer;

	if (offset % 8 || offset >= record->stack_bytes ||
	    record->stack_bytes - offset < 8)
		return 0;
	*ret = *word_at(data, record->stack_at + offset);
	return 1;
}

void ring_release(void *ring, uint64_t tail)
{
	struct perf_event_mmap_page *page = ring;

	/* release: what was there has been read; pairs with the kernel's barrier before
	 * it writes there again */
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}
