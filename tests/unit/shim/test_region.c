/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of the table of regions' names.
 */
#include <pthread.h>
#include <unistd.h>

#include "common/segment_names.h"
#include "shim/core/clock.h"
#include "shim/events/events.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

static struct segment_names *names;

static void pass(const char *name)
{
	region_begin("app", name, (uintptr_t)__builtin_frame_address(0));
	region_end("app", name, (uintptr_t)__builtin_frame_address(0));
}

/* How often the table has the name. */
static int count_of(const char *name)
{
	int count = 0;

	for (uint32_t i = SEGMENT_NAME_MORE + 1; i < names->names.count; i++)
		count += strcmp(names->entries[i].name, name) == 0;
	return count;
}

/* The disk refuses room for the table when the region begins, and has it when it ends. */
TEST(ends_what_had_no_name)
{
	uint64_t far = clock_now() + (1ull << 60);

	process->commit_refused_until = far;
	region_begin("app", "unnamed", (uintptr_t)__builtin_frame_address(0));
	process->commit_refused_until = 0;
	region_end("app", "unnamed", (uintptr_t)__builtin_frame_address(0));
	assert_int_equal(lane_self->lane->orphan_region_count, 0);
	assert_int_equal(*lane_self->depth, 0);
}

TEST(names_are_kept_once)
{
	char buffer[8] = "buffer", longest[200];

	pass("first");
	names = process_map_slot(process_facts.file->name_slot);
	assert_non_null(names);
	for (int i = 0; i < 3; i++) {
		pass(buffer);
		pass("first");
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	pass(longest);
	longest[150] = '\0';
	pass(longest);
	longest[sizeof(names->entries[0].name) - 1] = '\0';
	assert_int_equal(count_of("first"), 1);
	assert_int_equal(count_of("buffer"), 1);
	assert_int_equal(count_of(longest), 1);
	assert_int_equal(names->names.count, SEGMENT_NAME_MORE + 1 + 3);
}

/* An end without a begin is counted, and takes no name. */
TEST(ends_take_no_name)
{
	uint32_t count = names->names.count;

	region_end("app", "never begun", (uintptr_t)__builtin_frame_address(0));
	assert_int_equal(names->names.count, count);
	assert_int_equal(lane_self->lane->orphan_region_count, 1);
	lane_self->lane->orphan_region_count = 0;
}

/* The names in one address may be others the next time. */
TEST(names_are_looked_at)
{
	char buffer[16];

	for (int i = 0; i < 6; i++) {
		snprintf(buffer, sizeof(buffer), "in turn %d", i % 2);
		pass(buffer);
	}
	assert_int_equal(count_of("in turn 0"), 1);
	assert_int_equal(count_of("in turn 1"), 1);
}

static void *unlock_later(void *unused)
{
	usleep(30000);
	__atomic_store_n(&names->lock, 0, __ATOMIC_RELEASE);
	return unused;
}

/* Who has the table may have lost its processor. */
TEST(waits_for_who_adds)
{
	pthread_t thread;

	names->lock = 1;
	assert_int_equal(pthread_create(&thread, NULL, unlock_later, NULL), 0);
	pass("waited for");
	pthread_join(thread, NULL);
	assert_int_equal(count_of("waited for"), 1);
	assert_int_equal(names->is_full, 0);
}

/* A process that was killed while it had the table. Nobody waits for it twice. */
TEST(gives_up_on_the_dead)
{
	names->lock = 1;
	pass("too late");
	assert_int_equal(count_of("too late"), 0);
	assert_int_equal(names->is_full, 1);
	pass("first");
	pass("later still");
	assert_int_equal(count_of("first"), 1);
	assert_int_equal(lane_self->lane->orphan_exit_count, 0);
	assert_int_equal(lane_self->lane->repaired_frame_count, 0);
}

static int begin_all(void **state)
{
	(void)state;
	fixture_begin(50000);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

TEST_GROUP(begin_all, end_all)
