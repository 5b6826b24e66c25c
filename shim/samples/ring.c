/* SPDX-License-Identifier: MIT */
/* The ring of a software event (perf_event_open(2)). */
#include "shim/samples/ring.h"

#include <sys/mman.h>

#include "common/sampling_event.h"
#include "shim/core/syscall.h"

long ring_open(uint64_t period_ns, uint32_t data_pages)
{
	struct perf_event_attr attributes = sampling_event(period_ns);
	long event = SYSCALL(SYS_perf_event_open, &attributes, 0, -1, -1,
			     PERF_FLAG_FD_CLOEXEC, 0);
	long ring = event;

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
static uint64_t word_at(const void *ring, uint32_t data_bytes, uint64_t at)
{
	const char *data = (const char *)ring + RING_PAGE_BYTES;

	return *(const volatile uint64_t *)(const void *)(data + at % data_bytes);
}

int ring_read(const void *ring, uint32_t data_bytes, uint64_t head, uint64_t *tail,
	      struct ring_record *ret)
{
	uint64_t at = *tail, header = word_at(ring, data_bytes, at);
	uint32_t type = (uint32_t)header;
	uint64_t bytes = header >> 48;

	*ret = (struct ring_record){.address = 0};
	if (bytes < 8 || bytes % 8 || bytes > head - at || head - at > data_bytes) {
		*tail = head;
		return 0;
	}
	if (type == PERF_RECORD_SAMPLE && bytes >= 24) {
		ret->address = word_at(ring, data_bytes, at + 8);
		ret->clock_ns = word_at(ring, data_bytes, at + 16);
	} else if (type == PERF_RECORD_LOST && bytes >= 24) {
		ret->lost_count = word_at(ring, data_bytes, at + 16);
	}
	*tail = at + bytes;
	return 1;
}

void ring_release(void *ring, uint64_t tail)
{
	struct perf_event_mmap_page *page = ring;

	/* release: what was there has been read; pairs with the kernel's barrier before
	 * it writes there again */
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}
