/* SPDX-License-Identifier: MIT */
/*
 * What this is:  damaged spools: whatever the files say, the run is read as far as it
 *                can be believed, and what was left out is counted.
 * Runs on:       tests.
 * See also:      collector/read/read.h
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/read/read.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define END (MAKE_START + 1000000)

struct fixture {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	struct make_lane lane;
	uint32_t node;
};

/* main called once, with a call of a function and a site. */
static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint32_t slot, call;

	make_run(&f->run, MAKE_TOKEN);
	make_file(&f->file, &f->run, "100-1");
	f->process = make_process(&f->file, 100, MAKE_START, END, &slot);
	make_lane(&f->lane, &f->file, f->process, slot);
	f->node = make_call(&f->lane, 1, 0x1000, 1, 1000);
	make_call(&f->lane, f->node, 0x2000, 5, 500);
	call = make_return(&f->lane, f->node, 0x1010);
	make_site(f->process, &f->lane, call, 2, 20, 1, 10);
	*state = f;
	return 0;
}

static int finish(void **state)
{
	struct fixture *f = *state;

	make_file_free(&f->file);
	make_run_free(&f->run);
	free(f);
	return 0;
}

/* Ingests and returns how much was left out. calls: expected sum over all paths. */
static int64_t ingest(const struct fixture *f, const char *calls)
{
	struct sqlite3 *db = check_ingest(&f->run, NULL);
	int64_t damaged =
		check_int(db, "SELECT value FROM trust WHERE name = 'damaged_segments'");

	check_rows(db, "SELECT SUM(calls) FROM path", calls);
	check_invariants(db);
	if (damaged)
		check_rows(db, "SELECT complete FROM runs", "0");
	sqlite3_close(db);
	return damaged;
}

TEST_WITH(sound, begin, finish)
{
	assert_int_equal(ingest(*state, "6"), 0);
}

TEST_FIXTURE(wrong_magic_of_file, begin, finish)
{
	f->file.file->magic++;
	assert_int_equal(ingest(f, ""), 1);
}

TEST_FIXTURE(wrong_version_of_file, begin, finish)
{
	f->file.file->version++;
	assert_int_equal(ingest(f, ""), 1);
}

TEST_FIXTURE(file_of_another_run, begin, finish)
{
	f->file.file->token++;
	assert_int_equal(ingest(f, ""), 1);
}

TEST_FIXTURE(wrong_slot_sizes, begin, finish)
{
	static const uint64_t sizes[] = {0,	    1, 4096, UINT64_MAX, UINT64_MAX / 2,
					 1ull << 60};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		f->file.file->slot_size = sizes[i];
		assert_true(ingest(f, "") > 0);
	}
}

TEST_FIXTURE(too_many_slots, begin, finish)
{
	f->file.file->slot_count = f->file.file->slot_limit = UINT32_MAX;
	assert_int_equal(ingest(f, "6"), 0);
}

TEST_FIXTURE(unknown_slot_kind, begin, finish)
{
	f->file.file->slots[3].kind = 77;
	f->file.file->slot_count = 4;
	assert_int_equal(ingest(f, "6"), 1);
}

TEST_FIXTURE(lane_without_process, begin, finish)
{
	f->file.file->slots[2].process_slot = 9;
	/* the lane and the site of it */
	assert_int_equal(ingest(f, ""), 2);
}

TEST_FIXTURE(unwritten_slots, begin, finish)
{
	f->file.file->slots[3] = (struct segment_slot){SEGMENT_SLOT_PROCESS, 5, 3, 0};
	f->file.file->slots[4] = (struct segment_slot){SEGMENT_SLOT_LANE, 5, 1, 0};
	f->file.file->slot_count = 5;
	assert_int_equal(ingest(f, "6"), 2);
}

/* Counts past the capacity, past what is stored, past the file. */
TEST_FIXTURE(wild_counts, begin, finish)
{
	struct segment_lane *lane = f->lane.lane;

	lane->nodes.count = lane->nodes.capacity = UINT32_MAX;
	lane->functions.count = lane->functions.capacity = UINT32_MAX;
	lane->frames.count = lane->frames.capacity = UINT32_MAX;
	f->process->sites.count = f->process->sites.capacity = UINT32_MAX;
	f->process->modules.count = f->process->modules.capacity = UINT32_MAX;
	f->process->threads.count = f->process->threads.capacity = UINT32_MAX;
	f->process->command_size = UINT32_MAX;
	assert_true(ingest(f, "6") > 0);
}

TEST_FIXTURE(wild_offsets, begin, finish)
{
	static const uint64_t offsets[] = {UINT64_MAX, UINT64_MAX - 63, MAKE_SLOT_BYTES,
					   MAKE_SLOT_BYTES - 1, 1ull << 63};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		f->lane.lane->nodes.offset = offsets[i];
		f->lane.lane->frames.offset = offsets[i];
		f->lane.lane->functions.offset = offsets[i];
		f->process->sites.offset = offsets[i];
		f->process->modules.offset = offsets[i];
		f->process->threads.offset = offsets[i];
		ingest(f, "");
	}
}

TEST_FIXTURE(circular_nodes, begin, finish)
{
	f->lane.nodes[2].parent = 3;
	f->lane.nodes[3].parent = 2;
	/* the two, the return address below them, its site */
	assert_int_equal(ingest(f, ""), 4);
}

TEST_FIXTURE(wild_node, begin, finish)
{
	f->lane.nodes[3] = (struct segment_node){.key = UINT64_MAX,
						 .call_count = UINT64_MAX,
						 .total_ticks = UINT64_MAX,
						 .parent = 2,
						 .function = UINT32_MAX,
						 .site = UINT32_MAX};
	ingest(f, "1");
}

TEST_FIXTURE(wild_numbers, begin, finish)
{
	struct segment_site *sites =
		(void *)((char *)f->process + f->process->sites.offset);
	struct sqlite3 *db;

	f->lane.nodes[2].call_count = f->lane.nodes[2].total_ticks = UINT64_MAX;
	f->lane.nodes[2].max_ticks = UINT64_MAX;
	f->lane.nodes[3].call_count = f->lane.nodes[3].total_ticks = UINT64_MAX;
	f->lane.functions[1].overflow_bucket = UINT32_MAX;
	f->lane.functions[1].overflow_count = UINT32_MAX;
	f->lane.functions[2].overflow_bucket = 5;
	f->lane.functions[2].overflow_count = UINT32_MAX;
	memset(&sites[1].alloc_count, 0xff, 64);
	f->run.page->inner_cost_ticks = -1e300;
	f->run.page->outer_cost_ticks = 1e300;
	f->process->end_ticks = 0;
	f->process->peak_bytes = UINT64_MAX;
	db = check_ingest(&f->run, NULL);
	check_rows(db, "SELECT COUNT(*) FROM path WHERE self_ns < 0 OR total_ns < 0",
		   "0");
	sqlite3_close(db);
}

TEST_FIXTURE(frame_of_no_node, begin, finish)
{
	make_frame(&f->lane, 2, END - 100);
	f->lane.frames[0].node = 4000000;
	make_frame(&f->lane, 4, END - 100); /* a return address */
	make_frame(&f->lane, 2, END + 100); /* not begun yet */
	f->lane.lane->nodes.count = 5;
	assert_int_equal(ingest(f, "6"), 2);
}

TEST_FIXTURE(retired_module_that_is_not, begin, finish)
{
	f->lane.nodes[3].key |= 0x7fffull << SEGMENT_KEY_MODULE_SHIFT;
	assert_int_equal(ingest(f, "6"), 0);
}

/* Every length the first file may have been cut to. */
TEST_FIXTURE(cut_file, begin, finish)
{
	static const off_t lengths[] = {
		0,
		1,
		79,
		80,
		100,
		262224,
		MAKE_SLOT_BYTES,
		MAKE_SLOT_BYTES + 100,
		MAKE_SLOT_BYTES + 20000,
		MAKE_SLOT_BYTES + 131072 + 130,
		2 * MAKE_SLOT_BYTES,
		2 * MAKE_SLOT_BYTES + 100,
		2 * MAKE_SLOT_BYTES + (1 << 20) + 100,
	};
	char path[512];

	snprintf(path, sizeof(path), "%s/100-1.segment", f->run.directory);
	for (size_t i = sizeof(lengths) / sizeof(lengths[0]); i-- > 0;) {
		struct sqlite3 *db;

		assert_int_equal(truncate(path, lengths[i]), 0);
		db = check_ingest(&f->run, NULL);
		check_invariants(db);
		sqlite3_close(db);
	}
}

TEST_FIXTURE(strange_names, begin, finish)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/directory.segment", f->run.directory);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/pipe.segment", f->run.directory);
	assert_int_equal(mkfifo(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/link.segment", f->run.directory);
	assert_int_equal(symlink("/dev/zero", path), 0);
	snprintf(path, sizeof(path), "%s/.segment", f->run.directory);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(ingest(f, "6"), 3);
}

static void refuse_page(const struct fixture *f, const char *word)
{
	struct read_run run;
	char error[512] = "";

	assert_true(read_run_open(&run, &f->run.rundir, NULL, error, sizeof(error)) < 0);
	if (!strstr(error, word) || !strstr(error, f->run.directory))
		fail_msg("%s", error);
}

TEST_FIXTURE(damaged_page, begin, finish)
{
	char path[512];

	f->run.page->magic = 0;
	refuse_page(f, "not the record of a run");
	f->run.page->magic = SEGMENT_MAGIC_RUN;
	f->run.page->version = 99;
	refuse_page(f, "another version");
	f->run.page->version = SEGMENT_VERSION;
	snprintf(path, sizeof(path), "%s/run", f->run.directory);
	assert_int_equal(truncate(path, 100), 0);
	refuse_page(f, "cut short");
	assert_int_equal(unlink(path), 0);
	refuse_page(f, "No such file");
}

TEST_FIXTURE(strings_without_end, begin, finish)
{
	memset(f->run.page->label, 'x', sizeof(f->run.page->label));
	memset(f->run.page->cwd, 'x', sizeof(f->run.page->cwd));
	memset(f->process->executable, 'x', sizeof(f->process->executable));
	memset(f->process->command, '\'', sizeof(f->process->command));
	f->process->command_size = sizeof(f->process->command);
	memset(make_module(f->process, "", 0, 1, 0)->path, 'x',
	       sizeof(((struct segment_module *)0)->path));
	make_module(f->process, "/nothing", 0, 1, 0)->build_id_size = UINT32_MAX;
	assert_int_equal(ingest(f, "6"), 0);
}

TEST_FIXTURE(checksum_sees_changes, begin, finish)
{
	uint64_t before = read_run_checksum(&f->run.rundir);

	assert_int_equal(before, read_run_checksum(&f->run.rundir));
	f->lane.nodes[3].call_count++;
	assert_int_not_equal(before, read_run_checksum(&f->run.rundir));
	f->lane.nodes[3].call_count--;
	assert_int_equal(before, read_run_checksum(&f->run.rundir));
	f->process->counters[SEGMENT_COUNTER_LATE_EVENTS]++;
	assert_int_not_equal(before, read_run_checksum(&f->run.rundir));
}
