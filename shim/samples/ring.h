/* SPDX-License-Identifier: MIT */
/*
 * The kernel's samples of the calling thread. Runs on: traced threads, any context; the
 * gate is entered. Must not keep the descriptor: the event lives as long as its pages.
 *
 * A software event of the task clock: it needs no signal and no wake-up, and in user mode
 * no right that users lack where kernel.perf_event_paranoid is 2 or less. Its pages are
 * not in forked children; a program sees a line of its maps.
 *
 * A fixed period, and neither a frequency, which the kernel turns into a period once and
 * refuses above a limit, nor a limit of events, at which Linux 6.16 and 6.17 freeze.
 */
#pragma once

#include "shim/lane/lane.h"

#define RING_PAGE_BYTES 4096u

/* What samples have beside user mode's addresses, see common/sampling_event.h. */
enum ring_more { RING_STACKS = 1, RING_KERNEL = 2 };

/* Begins one: data_pages is a power of two. Returns its address, or -errno. */
long ring_open(uint64_t period_ns, uint32_t data_pages, enum ring_more more);

/* Ends it; data_pages as before. */
void ring_close(void *ring, uint32_t data_pages);

/* Where the kernel says how far it has written. */
const volatile uint64_t *ring_head(const void *ring);

/* What a record is about. */
struct ring_record {
	uint64_t address;  /* of a sample, in user mode; 0: it is none */
	uint64_t clock_ns; /* of a sample: what the event has counted, kernel included */
	uint64_t lost_count;
	/* of a sample with its stack: [stack_pointer, stack_pointer + stack_bytes) */
	uint64_t stack_pointer, frame_pointer;
	uint64_t stack_bytes; /* 0: it has none */
	uint64_t stack_at;    /* in the data */
};

/* The record of the data at *tail, which is before head; moves *tail behind it. 0: what
 * is there is no record, and all of it is skipped. */
int ring_read(const struct ring_data *data, uint64_t head, uint64_t *tail,
	      struct ring_record *ret);

/* Writes a sample with its stack, like the kernel, where it has room for it. */
void ring_write(const struct ring_data *data, uint64_t head,
		const struct ring_record *record);

/* The bytes of it. */
uint64_t ring_record_bytes(const struct ring_record *record);

/* The word at this address of a sample's stack. 0: it is not there. */
int ring_word(const struct ring_data *data, const struct ring_record *record,
	      uint64_t address, uint64_t *ret);

/* What is before this place may be written again. */
void ring_release(void *ring, uint64_t tail);
