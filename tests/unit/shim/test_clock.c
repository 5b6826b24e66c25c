/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a test that both clocks are read at one moment, also when the thread
 *                loses its CPU between the readings: clock_gettime is this program's own
 *                and takes long in all tries but one.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/core/clock.h"
#include "tests/unit/tests.h"

#define TRY_LIMIT 32
#define PAUSE_NS 5000000

enum side { BEFORE_READING, AFTER_READING };

/* One call of clock_gettime: what it said, and the ticks at that moment. */
static struct {
	uint64_t monotonic_ns, ticks;
} readings[TRY_LIMIT];
static int is_watched, reading_count, quick_try;
static enum side slow_side;

static uint64_t read_kernel(struct timespec *now)
{
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, now);
	return (uint64_t)now->tv_sec * 1000000000u + (uint64_t)now->tv_nsec;
}

static void pass_time(void)
{
	struct timespec now;
	uint64_t end = read_kernel(&now) + PAUSE_NS;

	while (read_kernel(&now) < end)
		;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	int is_slow = is_watched && reading_count != quick_try;

	if (!is_watched || reading_count == TRY_LIMIT)
		return (int)syscall(SYS_clock_gettime, id, now);
	if (is_slow && slow_side == BEFORE_READING)
		pass_time();
	readings[reading_count].ticks = clock_tsc();
	readings[reading_count++].monotonic_ns = read_kernel(now);
	if (is_slow && slow_side == AFTER_READING)
		pass_time();
	return 0;
}

/* How far the pair is from one moment, in ticks. */
static uint64_t distance_of_pair(void)
{
	uint64_t ticks, monotonic_ns;
	int i = 0;

	reading_count = 0;
	is_watched = 1;
	clock_read_both(&ticks, &monotonic_ns);
	is_watched = 0;
	while (i < reading_count && readings[i].monotonic_ns != monotonic_ns)
		i++;
	assert_true(i < reading_count);
	return ticks > readings[i].ticks ? ticks - readings[i].ticks
					 : readings[i].ticks - ticks;
}

TEST(both_clocks_are_of_one_moment)
{
	uint64_t pause = clock_tsc();

	clock_is_tsc = 1;
	pass_time();
	pause = clock_tsc() - pause;
	for (quick_try = 0; quick_try < 5; quick_try++) {
		slow_side = BEFORE_READING;
		assert_true(distance_of_pair() < pause / 4);
		slow_side = AFTER_READING;
		assert_true(distance_of_pair() < pause / 4);
	}
}
