/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of reading a ring of samples that the kernel would write:
 * where a record is in two parts, and where it is none.
 */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shim/samples/ring.h"

#define DATA_BYTES RING_PAGE_BYTES

static uint64_t ring[(RING_PAGE_BYTES + DATA_BYTES) / 8];

static uint64_t header(uint32_t type, uint16_t bytes)
{
	return (uint64_t)bytes << 48 | type;
}

/* Returns where the next one goes. */
static uint64_t put(uint64_t at, uint64_t first, uint64_t second, uint64_t third)
{
	const uint64_t words[] = {first, second, third};

	for (size_t i = 0; i < 3; i++, at += 8)
		ring[(RING_PAGE_BYTES + at % DATA_BYTES) / 8] = words[i];
	return at;
}

static void records_follow_each_other(void **state)
{
	uint64_t head, tail = 0;
	struct ring_record record;

	(void)state;
	head = put(0, header(PERF_RECORD_SAMPLE, 24), 0x1234, 500);
	head = put(head, header(PERF_RECORD_LOST, 24), 7, 3);
	assert_int_equal(ring_read(ring, DATA_BYTES, head, &tail, &record), 1);
	assert_int_equal(record.address, 0x1234);
	assert_int_equal(record.clock_ns, 500);
	assert_int_equal(record.lost_count, 0);
	assert_int_equal(ring_read(ring, DATA_BYTES, head, &tail, &record), 1);
	assert_int_equal(record.address, 0);
	assert_int_equal(record.lost_count, 3);
	assert_int_equal(tail, head);
}

static void a_record_may_be_in_two_parts(void **state)
{
	uint64_t tail = 5 * DATA_BYTES - 8, head;
	struct ring_record record;

	(void)state;
	head = put(tail, header(PERF_RECORD_SAMPLE, 24), 0xabcd, 900);
	assert_int_equal(ring_read(ring, DATA_BYTES, head, &tail, &record), 1);
	assert_int_equal(record.address, 0xabcd);
	assert_int_equal(record.clock_ns, 900);
	assert_int_equal(tail, head);
}

static void what_is_no_record_is_skipped(void **state)
{
	static const uint16_t sizes[] = {0, 4, 12, 32};
	struct ring_record record;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t tail = 0,
			 head = put(0, header(PERF_RECORD_SAMPLE, sizes[i]), 1, 2);

		assert_int_equal(ring_read(ring, DATA_BYTES, head, &tail, &record), 0);
		assert_int_equal(record.address, 0);
		assert_int_equal(tail, head);
	}
}

static void a_head_far_ahead_is_not_believed(void **state)
{
	uint64_t tail = 0, head = DATA_BYTES + 24;
	struct ring_record record;

	(void)state;
	put(0, header(PERF_RECORD_SAMPLE, 24), 1, 2);
	assert_int_equal(ring_read(ring, DATA_BYTES, head, &tail, &record), 0);
	assert_int_equal(tail, head);
}

static void other_records_say_nothing(void **state)
{
	uint64_t tail = 0, head = put(0, header(PERF_RECORD_THROTTLE, 24), 1, 2);
	struct ring_record record;

	(void)state;
	assert_int_equal(ring_read(ring, DATA_BYTES, head, &tail, &record), 1);
	assert_int_equal(record.address, 0);
	assert_int_equal(record.lost_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_follow_each_other),
		cmocka_unit_test(a_record_may_be_in_two_parts),
		cmocka_unit_test(what_is_no_record_is_skipped),
		cmocka_unit_test(a_head_far_ahead_is_not_believed),
		cmocka_unit_test(other_records_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
