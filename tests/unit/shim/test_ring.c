/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of reading a ring of samples that the kernel would write:
 * where a record is in two parts, has a stack, and where it is none.
 */
#include <linux/perf_event.h>

#include "common/segment_samples.h"
#include "shim/samples/ring.h"
#include "tests/unit/tests.h"

#define DATA_BYTES 4096u

static uint64_t words[DATA_BYTES / 8];
static const struct ring_data data = {words, DATA_BYTES};

static uint64_t header(uint32_t type, uint16_t bytes)
{
	return (uint64_t)bytes << 48 | type;
}

/* Returns where the next one goes. */
static uint64_t put(uint64_t at, uint64_t first, uint64_t second, uint64_t third)
{
	const uint64_t more[] = {first, second, third};

	for (size_t i = 0; i < 3; i++, at += 8)
		words[at % DATA_BYTES / 8] = more[i];
	return at;
}

TEST(records_follow_each_other)
{
	uint64_t head, tail = 0;
	struct ring_record record;

	head = put(0, header(PERF_RECORD_SAMPLE, 24), 0x1234, 500);
	head = put(head, header(PERF_RECORD_LOST, 24), 7, 3);
	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(record.address, 0x1234);
	assert_int_equal(record.clock_ns, 500);
	assert_int_equal(record.lost_count, 0);
	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(record.address, 0);
	assert_int_equal(record.lost_count, 3);
	assert_int_equal(tail, head);
}

TEST(a_record_may_be_in_two_parts)
{
	uint64_t tail = 5 * DATA_BYTES - 8, head;
	struct ring_record record;

	head = put(tail, header(PERF_RECORD_SAMPLE, 24), 0xabcd, 900);
	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(record.address, 0xabcd);
	assert_int_equal(record.clock_ns, 900);
	assert_int_equal(record.stack_bytes, 0);
	assert_int_equal(tail, head);
}

/* Of three words, of which the kernel could read two. */
static uint64_t put_stack(uint64_t at, uint64_t size, uint64_t there)
{
	at = put(at, header(PERF_RECORD_SAMPLE, 96), 0x1234, 500);
	at = put(at, 2 /* 64 bits */, 0x70, 0x1000);
	at = put(at, 0x1234, size, 11);
	return put(at, 12, 13, there);
}

TEST(a_stack_is_read)
{
	uint64_t tail = DATA_BYTES - 72, head = put_stack(tail, 24, 16), word;
	struct ring_record record;

	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(tail, head);
	assert_int_equal(record.clock_ns, 500);
	assert_int_equal(record.frame_pointer, 0x70);
	assert_int_equal(record.stack_pointer, 0x1000);
	assert_int_equal(record.stack_bytes, 16);
	assert_int_equal(ring_word(&data, &record, 0x1000, &word), 1);
	assert_int_equal(word, 11);
	assert_int_equal(ring_word(&data, &record, 0x1008, &word), 1);
	assert_int_equal(word, 12);
	assert_int_equal(ring_word(&data, &record, 0x1010, &word), 0);
	assert_int_equal(ring_word(&data, &record, 0x1004, &word), 0);
	assert_int_equal(ring_word(&data, &record, 0xff8, &word), 0);
}

TEST(a_stack_beyond_its_record_is_none)
{
	static const uint64_t sizes[] = {0, 25, 32, 4096, UINT64_MAX, UINT64_MAX - 7};
	struct ring_record record;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t tail = 0, head = put_stack(0, sizes[i], 16);

		assert_int_equal(ring_read(&data, head, &tail, &record), 1);
		assert_int_equal(record.address, 0x1234);
		assert_int_equal(record.stack_bytes, 0);
	}
}

/* There the address is one of the kernel's, and the program's beside it. */
TEST(a_sample_in_the_kernel)
{
	uint64_t kernel = (uint64_t)PERF_RECORD_MISC_KERNEL << 32, tail = 0, head;
	struct ring_record record;

	head = put(0, header(PERF_RECORD_SAMPLE, 56) | kernel, UINT64_MAX - 7, 500);
	head = put(head, 2, 0x70, 0x1000);
	head = put(head, 0x1234, 0, 0) - 16;
	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(record.address, 0x1234);
	assert_int_equal(record.stack_bytes, 0);
	tail = 0;
	head = put(0, header(PERF_RECORD_SAMPLE, 32) | kernel, UINT64_MAX - 7, 500);
	head = put(head, 0, 0, 0) - 16;
	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(record.address, SEGMENT_SAMPLE_FOLDED);
}

TEST(what_is_written_is_read)
{
	uint64_t stack[] = {21, 22, 23}, tail = DATA_BYTES - 16, head = tail, word;
	struct ring_record record = {.address = 5,
				     .clock_ns = 6,
				     .stack_pointer = (uintptr_t)stack,
				     .frame_pointer = 7,
				     .stack_bytes = sizeof(stack)};

	ring_write(&data, head, &record);
	head += ring_record_bytes(&record);
	record.stack_bytes = 0;
	ring_write(&data, head, &record);
	head += ring_record_bytes(&record);
	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(record.address, 5);
	assert_int_equal(record.clock_ns, 6);
	assert_int_equal(record.frame_pointer, 7);
	assert_int_equal(record.stack_bytes, sizeof(stack));
	assert_int_equal(ring_word(&data, &record, (uintptr_t)&stack[2], &word), 1);
	assert_int_equal(word, 23);
	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(record.address, 5);
	assert_int_equal(record.stack_bytes, 0);
	assert_int_equal(tail, head);
}

TEST(what_is_no_record_is_skipped)
{
	static const uint16_t sizes[] = {0, 4, 12, 32};
	struct ring_record record;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t tail = 0,
			 head = put(0, header(PERF_RECORD_SAMPLE, sizes[i]), 1, 2);

		assert_int_equal(ring_read(&data, head, &tail, &record), 0);
		assert_int_equal(record.address, 0);
		assert_int_equal(tail, head);
	}
}

TEST(a_head_far_ahead_is_not_believed)
{
	uint64_t tail = 0, head = DATA_BYTES + 24;
	struct ring_record record;

	put(0, header(PERF_RECORD_SAMPLE, 24), 1, 2);
	assert_int_equal(ring_read(&data, head, &tail, &record), 0);
	assert_int_equal(tail, head);
}

TEST(other_records_say_nothing)
{
	uint64_t tail = 0, head = put(0, header(PERF_RECORD_THROTTLE, 24), 1, 2);
	struct ring_record record;

	assert_int_equal(ring_read(&data, head, &tail, &record), 1);
	assert_int_equal(record.address, 0);
	assert_int_equal(record.lost_count, 0);
}
