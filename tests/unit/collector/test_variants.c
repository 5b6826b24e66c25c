/* SPDX-License-Identifier: MIT */
/*
 * What this is:  constructors and destructors of several functions: one call for each
 *                object, and the cost of all hooks taken off.
 * Runs on:       tests.
 * See also:      collector/merge/sites.c, collector/account/counted.c
 *
 * All numbers are computed by hand from what the comments say.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define PATHS "SELECT name, calls, self_ns, total_ns FROM call_paths ORDER BY path_id"
#define NESTED "SELECT value FROM trust WHERE name LIKE 'nested_%' ORDER BY name"

/* What a compiler makes of A::~A, and a caller. */
#define FUNCTION(name, symbol)                                                           \
	void name(void) __asm__(symbol);                                                 \
	__attribute__((noinline)) void name(void)                                        \
	{                                                                                \
		__asm__ volatile("" : : "r"(name));                                      \
	}
FUNCTION(deleting, "_ZN1AD0Ev")
FUNCTION(whole, "_ZN1AD1Ev")
FUNCTION(base, "_ZN1AD2Ev")
FUNCTION(caller, "caller")

static uint64_t address_of(void (*function)(void))
{
	return (uint64_t)(uintptr_t)function;
}

/* This very program. */
static void add_module(struct segment_process *process)
{
	extern char __executable_start, etext;
	uint64_t start = (uint64_t)(uintptr_t)&__executable_start;
	struct segment_module *module;
	struct stat info;
	char path[400] = "";

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(stat(path, &info), 0);
	module = make_module(process, path, start, (uint64_t)(uintptr_t)&etext, start);
	module->device = info.st_dev;
	module->inode = info.st_ino;
	module->size_bytes = (uint64_t)info.st_size;
	module->mtime_ns =
		info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec;
}

static struct check_one f;
static struct sqlite3 *db;

static int begin(void **state)
{
	(void)state;
	check_begin(&f);
	f.run.page->inner_cost_ticks = 10;
	f.run.page->outer_cost_ticks = 20;
	f.run.page->counted_cost_ticks = 2;
	add_module(f.process);
	return 0;
}

static int end(void **state)
{
	(void)state;
	check_end(&f, db);
	return 0;
}

static uint32_t call(uint32_t parent, void (*function)(void), uint64_t calls,
		     uint64_t total)
{
	return make_call(&f.lane, parent, address_of(function), calls, total);
}

/* 10 objects: 10,000 ns in the outermost, less 10 * 10 inside of it, for each of the two
 * nested 10 * (20 + 10), and 41 for three allocations. The caller has 100,000 - 10,000 -
 * 10 - 10 * 20. */
TEST_WITH(one_call_for_each_object, begin, end)
{
	uint32_t node;

	node = call(1, caller, 1, 100000);
	node = call(node, deleting, 10, 10000);
	node = call(node, whole, 10, 9000);
	make_site(f.process, &f.lane, call(node, base, 10, 8000), 3, 30, 3, 30);
	db = check_ingest(&f.run, NULL);
	check_rows(db, PATHS, "caller|1|89790|99049;A::~A|10|9259|9259");
	check_rows(db,
		   "SELECT linkage_name, calls, raw_self_ns, alloc_count, min_ns "
		   "FROM functions WHERE name = 'A::~A'",
		   "_ZN1AD1Ev|10|10000|3|990");
	check_rows(db, "SELECT p50_ns > 900 FROM functions WHERE calls = 10", "1");
	check_rows(db, NESTED, "0;20");
}

/* What is no chain of one object: others below, in any variant, and more calls than there
 * were objects. */
TEST_WITH(others_are_calls, begin, end)
{
	uint32_t node;

	node = call(1, whole, 4, 10000);
	node = call(node, whole, 3, 5000);
	node = call(node, deleting, 2, 2000);
	call(node, base, 3, 1000);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT depth, calls FROM call_paths ORDER BY path_id",
		   "1|4;2|3;3|2;4|3");
	check_rows(db, "SELECT calls, total_ns > 9000 FROM functions", "12|1");
	check_rows(db, NESTED, "0;0");
}

/* An object that was being destroyed when the process ended is one call. */
TEST_WITH(open_objects, begin, end)
{
	uint32_t outer, inner;

	outer = call(1, deleting, 1, 0);
	inner = call(outer, whole, 1, 0);
	make_frame(&f.lane, outer, CHECK_END - 5000);
	make_frame(&f.lane, inner, CHECK_END - 4000);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT calls, raw_total_ns, raw_self_ns FROM call_paths",
		   "1|5000|5000");
}

/* Of 100 objects 10 had frames; 70 of the rest were deleted. So many entries of the one
 * that deletes are no calls: 100 = 80 + 170 - 150. */
TEST_WITH(counted_entries, begin, end)
{
	uint32_t node;

	node = call(1, caller, 1, 100000);
	node = call(node, deleting, 10, 10000);
	call(node, whole, 10, 9000);
	make_count(&f.lane,
		   make_mode(f.process, address_of(deleting), SEGMENT_RECORDING_COUNTED),
		   70);
	make_count(&f.lane,
		   make_mode(f.process, address_of(whole), SEGMENT_RECORDING_COUNTED),
		   90);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT name, calls FROM call_paths ORDER BY path_id",
		   "caller|1;A::~A|100");
	check_rows(db, NESTED, "70;10");
	check_rows(db, "SELECT counted_calls FROM recordings", "90");
}

/* One of the two had frames only: its 10 entries are the calls, whoever was counted. */
TEST_WITH(half_counted, begin, end)
{
	uint32_t node;

	node = call(1, deleting, 10, 10000);
	call(node, whole, 4, 1000);
	call(1, whole, 5, 1000);
	make_count(&f.lane,
		   make_mode(f.process, address_of(whole), SEGMENT_RECORDING_COUNTED), 6);
	make_count(&f.lane,
		   make_mode(f.process, address_of(deleting), SEGMENT_RECORDING_COUNTED),
		   5);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT calls FROM functions", "15");
	check_rows(db, NESTED, "11;4");
}

/* Nobody was seen to call another one: all are calls. */
TEST_WITH(unseen_callers, begin, end)
{
	call(1, deleting, 1, 100);
	call(1, whole, 1, 100);
	make_count(&f.lane,
		   make_mode(f.process, address_of(whole), SEGMENT_RECORDING_COUNTED), 6);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT calls FROM functions", "8");
	check_rows(db, NESTED, "0;0");
}
