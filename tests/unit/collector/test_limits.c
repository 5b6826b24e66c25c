/* SPDX-License-Identifier: MIT */
/*
 * What this is:  recordings that no writer makes, or too large for a reader: time and
 *                memory have an end, and what is cut is counted.
 * Runs on:       tests.
 * See also:      collector/merge/merge.h, collector/read/read.h
 */
#include <sqlite3.h>
#include <time.h>

#include "collector/merge/place.h"
#include "collector/merge/place.h"
#include "collector/merge/merge.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define END (MAKE_START + 1000000)
#define HANG_SECONDS 5.0 /* of CPU; each takes a fraction of one */

struct fixture {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	uint32_t slot;
	struct make_lane lane;
	double began;
};

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	make_run(&f->run, MAKE_TOKEN);
	make_file(&f->file, &f->run, "100-1");
	f->process = make_process(&f->file, 100, MAKE_START, END, &f->slot);
	make_lane(&f->lane, &f->file, f->process, f->slot);
	f->began = cpu_seconds();
	*state = f;
	return 0;
}

static int finish(void **state)
{
	struct fixture *f = *state;
	int was_slow = cpu_seconds() - f->began > HANG_SECONDS;

	make_file_free(&f->file);
	make_run_free(&f->run);
	free(f);
	return was_slow;
}

/* Paths beyond the limit: calls are counted, and time and blocks stay with the nearest
 * ancestor that is there. */
TEST_FIXTURE(folded_paths, begin, finish)
{
	struct ingest_watch watch = {.path_limit = 4}; /* the root above all is one */
	uint32_t main_node = make_call(&f->lane, 1, 0x1000, 1, 1000), node;
	struct sqlite3 *db;

	make_call(&f->lane, main_node, 0x2000, 1, 100);
	make_call(&f->lane, main_node, 0x2000, 2, 100); /* the same path again */
	make_call(&f->lane, main_node, 0x3000, 3, 300);
	node = make_call(&f->lane, main_node, 0x4000, 5, 50);
	make_site(f->process, &f->lane, make_return(&f->lane, node, 0x4010), 2, 20, 0, 0);
	make_frame(&f->lane, node, MAKE_START);
	db = check_ingest(&f->run, &watch);
	check_rows(db,
		   "SELECT depth, calls, total_ns, self_ns, alloc_bytes FROM path "
		   "ORDER BY path_id",
		   "1|1|1000|500|20;2|3|200|200|0;2|3|300|300|0");
	check_rows(db, "SELECT SUM(value) FROM trust WHERE name = 'folded_paths'", "6");
	check_rows(db, "SELECT value FROM trust WHERE name = 'damaged_segments'", "0");
	sqlite3_close(db);
}

/* More nodes than a process may have: neither read nor merged. */
TEST_FIXTURE(surplus_nodes, begin, finish)
{
	uint32_t limit = read_node_limit(f->run.page), surplus = 1000;
	struct segment_node node = {.key = 0x1000, .call_count = 1, .parent = 1};
	struct segment_lane *lane = f->lane.lane;
	struct segment_process *process;
	struct make_file large;
	struct sqlite3 *db;
	char expected[32];

	make_file(&large, &f->run, "200-1");
	process = make_process(&large, 200, MAKE_START, END, &f->slot);
	large.file->slots[2] = (struct segment_slot){SEGMENT_SLOT_LANE, 200, 1, 0};
	large.file->slot_size = (limit + surplus + 64ull) * sizeof(node) & ~4095ull;
	large.file->slot_count = large.file->slot_limit = 3;
	lane = (void *)((char *)large.file + 2 * large.file->slot_size);
	*lane = (struct segment_lane){.magic = SEGMENT_MAGIC_LANE,
				      .process_slot = 1,
				      .nodes.offset = 1024,
				      .nodes.count = limit + 2 + surplus,
				      .nodes.capacity = UINT32_MAX};
	memcpy((char *)large.file + large.file->slot_size, process, sizeof(*process));
	process = (void *)((char *)large.file + large.file->slot_size);
	process->sites.offset = process->threads.offset = process->modules.offset =
		131072;
	process->sites.count = 2;
	((struct segment_site *)((char *)process + 131072))[1] = (struct segment_site){
		.node = limit + 5, .lane_slot = 2, .alloc_count = 1, .alloc_bytes = 7};
	for (uint32_t i = 2; i < lane->nodes.count; i++)
		((struct segment_node *)((char *)lane + 1024))[i] = node;
	db = check_ingest(&f->run, NULL);
	snprintf(expected, sizeof(expected), "%u|7", limit);
	check_rows(db, "SELECT SUM(calls), SUM(alloc_bytes) FROM path", expected);
	check_rows(db, "SELECT SUM(value) FROM trust WHERE name = 'folded_paths'",
		   "1000");
	sqlite3_close(db);
	make_file_free(&large);
}

/* Every call site asks for the function around it, through all regions. */
TEST_FIXTURE(chain_of_regions, begin, finish)
{
	const uint32_t half = 50000;
	struct segment_node *nodes = f->lane.nodes;

	for (uint32_t i = 2; i < 2 * half; i++) {
		int is_region = i < half;

		nodes[i].key = is_region ? SEGMENT_KEY_REGION | 2
					 : SEGMENT_KEY_RETURN_ADDRESS | (0x1000 + 16 * i);
		nodes[i].call_count = is_region;
		nodes[i].min_ticks = UINT64_MAX;
		nodes[i].parent = is_region ? i - 1 : half - 1;
	}
	f->lane.lane->nodes.capacity = f->lane.lane->nodes.count = 2 * half;
	sqlite3_close(check_ingest(&f->run, NULL));
}

/* Stacks that all claim the same frames. */
TEST_FIXTURE(fibers_with_the_same_frames, begin, finish)
{
	struct segment_lane *lane = f->lane.lane;
	struct segment_fiber *fibers = (void *)((char *)lane + (12 << 20));
	uint32_t node = make_call(&f->lane, 1, 0x1000, 1, 100);
	struct sqlite3 *db;

	lane->fibers.offset = 12 << 20;
	lane->fibers.count = lane->fibers.capacity = 60000;
	for (uint32_t i = 0; i < lane->frames.capacity; i++)
		f->lane.frames[i] =
			(struct segment_frame){.start_ticks = MAKE_START, .node = node};
	for (uint32_t i = 0; i < lane->fibers.count; i++)
		fibers[i] =
			(struct segment_fiber){.frame_capacity = lane->frames.capacity,
					       .depth = lane->frames.capacity,
					       .in_use = 1};
	db = check_ingest(&f->run, NULL);
	assert_int_equal(
		check_int(db, "SELECT value FROM trust WHERE name = 'open_frames'"),
		lane->frames.capacity);
	sqlite3_close(db);
}

/* Each process has its own series of a name: they are found without looking at all. */
TEST_FIXTURE(many_series, begin, finish)
{
	struct segment_series series = {.kind = SEGMENT_SERIES_STEP,
					.count = 1,
					.first_ticks = 1,
					.last_ticks = 1};
	struct merge merge = {.damaged_count = 0};
	const struct marks *marks = &merge.marks;
	struct lane_walk walk = {.merge = &merge,
				 .data = {.series = &series, .series_count = 1}};

	(void)f;
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(series.name, sizeof(series.name), "step %u", i % 100);
		walk.process_index = i / 100;
		walk.lane = i;
		marks_add_lane(&walk);
	}
	assert_int_equal(marks->count, 20000);
	marks_finish(&merge);
	assert_int_equal(marks->count, 20100);
	assert_int_equal(marks->all[20000]->count, 200);
	assert_int_equal(merge.damaged_count, 0);
	intern_free(&merge.names);
	map_done(&merge.series_map);
	pool_done(&merge.pool);
}
