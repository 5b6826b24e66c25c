/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: damages a small sound spool and ingests it into a
 *                database in memory.
 * Runs on:       tests; libFuzzer or replay.c.
 * See also:      common/segment.h; collector/ingest/ingest.h
 *
 * An input is a list of 12-byte changes: 1 byte how, 3 bytes where, 8 bytes what. Bits
 * 0-1 of how: 1, 2, 4 or 8 bytes wide; bit 2: in the run's facts instead of the segment
 * file; bit 4: in its state; bit 3: cut the file there instead. So an empty input is a
 * sound spool, and few bytes reach deep.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/segment_history.h"
#include "common/segment_recording.h"
#include "collector/ingest/ingest.h"
#include "collector/store/store.h"
#include "tests/fuzz/fuzz_database.h"
#include "tests/fuzz/fuzz_spool.h"

#define TOKEN 0x0123456789abcdefull
#define SLOT_BYTES 16384u
#define SLOTS 6u
#define HISTORY_SLOT 5u
#define START 1000000u

struct change {
	uint8_t how;
	uint32_t where;
	uint8_t what[8];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rundir rundir = RUNDIR_NONE;
static struct segment_run base_page;
static struct segment_state base_state;
static uint8_t base_file[SLOTS * SLOT_BYTES] __attribute__((aligned(64)));

static void make_base_page(void)
{
	base_page = (struct segment_run){
		.magic = SEGMENT_MAGIC_RUN,
		.version = SEGMENT_VERSION,
		.size = sizeof(base_page),
		.token = TOKEN,
		.first_pid = 100,
		.clock_kind = SEGMENT_CLOCK_TSC,
		.start_ticks = START,
		.start_monotonic_ns = START,
		.ticks_per_second = 2e9,
		.inner_cost_ticks = 3,
		.outer_cost_ticks = 5,
	};
	base_state = (struct segment_state){
		.magic = SEGMENT_MAGIC_STATE,
		.token = TOKEN,
		.last_ticks = 3 * START,
		.last_monotonic_ns = 2 * START,
	};
}

static void *slot_at(uint32_t slot, uint32_t kind, uint32_t process_slot)
{
	struct segment_slot entry = {kind, 100, process_slot, 0};

	memcpy(base_file + offsetof(struct segment_file, slots) + slot * sizeof(entry),
	       &entry, sizeof(entry));
	return base_file + slot * SLOT_BYTES;
}

static void make_base_process(uint32_t slot)
{
	struct segment_process *process = slot_at(slot, SEGMENT_SLOT_PROCESS, slot);
	struct segment_module *module = (void *)((char *)process + 12992);
	struct segment_thread *thread = (void *)((char *)process + 13504);
	struct segment_site *sites = (void *)((char *)process + 13632);
	struct segment_mode *modes = (void *)((char *)process + 14144);

	*process = (struct segment_process){
		.magic = SEGMENT_MAGIC_PROCESS,
		.pid = 100,
		.state = slot == 1 ? SEGMENT_PROCESS_EXITING : SEGMENT_PROCESS_RUNNING,
		.start_ticks = START + slot,
		.end_ticks = START + 100000,
		.start_time = 1,
		.peak_bytes = 300,
		.peak_generation = 2,
		.modules.count = 1,
		.modules.capacity = 1,
		.modules.offset = 12992,
		.threads.count = 1,
		.threads.capacity = 2,
		.threads.offset = 13504,
		.sites.count = 3,
		.sites.capacity = 4,
		.sites.offset = 13632,
		.modes.count = 4,
		.modes.capacity = 4,
		.modes.offset = 14144,
		.executable = "/bin/fuzzed",
		.command = "fuzzed\0it's",
		.command_size = 12,
		.history_slot = slot == 1 ? HISTORY_SLOT : 0,
		.snapshot_interval = slot == 1 ? 2 : 0,
	};
	*module = (struct segment_module){.start = 0x1000,
					  .end = 0x9000,
					  .build_id_size = 4,
					  .build_id = "ID",
					  .path = "/bin/none"};
	*thread = (struct segment_thread){100, slot + 1, START, 0, "main", 0,
					  0,   0,	 0,	0, 0};
	for (uint32_t i = 1; i < 4; i++)
		modes[i] = (struct segment_mode){.key = 0x1000 + 0x100 * i,
						 .since_ticks = START + i,
						 .recording = i,
						 .least = i};
	for (uint32_t i = 1; i < 3; i++)
		sites[i] = (struct segment_site){.node = 3 + i,
						 .lane_slot = slot + 1,
						 .alloc_count = 4,
						 .alloc_bytes = 400,
						 .free_count = 1,
						 .free_bytes = 100,
						 .interval = slot == 1 ? 3 - i : 0,
						 .peak_generation = i};
}

static struct segment_array array(uint64_t offset, uint32_t count)
{
	return (struct segment_array){offset, 8, 0, 8, count};
}

static void make_base_lane(uint32_t slot)
{
	/* parents before children: 2 and 3 functions, 4 a call in 3, 5 a frame */
	static const uint64_t keys[] = {0,
					0,
					0x1100,
					0x1200,
					0x1210 | SEGMENT_KEY_RETURN_ADDRESS,
					0x5000 | SEGMENT_KEY_RETURN_ADDRESS};
	static const uint32_t parents[] = {0, 0, 1, 2, 3, 4};
	struct segment_lane *lane = slot_at(slot, SEGMENT_SLOT_LANE, slot - 1);
	struct segment_frame *frames = (void *)((char *)lane + 320);
	struct segment_node *nodes = (void *)((char *)lane + 1024);
	struct segment_function *functions = (void *)((char *)lane + 4096);
	struct segment_count *counts = (void *)((char *)lane + 9408);

	*lane = (struct segment_lane){
		.magic = SEGMENT_MAGIC_LANE,
		.process_slot = slot - 1,
		.frames.count = 2,
		.frames.capacity = 8,
		.frames.offset = 320,
		.nodes.count = 9,
		.nodes.capacity = 32,
		.nodes.offset = 1024,
		.functions.count = 3,
		.functions.capacity = 4,
		.functions.offset = 4096,
		.counts = array(9408, 4),
	};
	for (uint32_t i = 0; i < 6; i++)
		nodes[i] = (struct segment_node){.key = keys[i],
						 .call_count = i,
						 .total_ticks = 100000 - 10000 * i,
						 .min_ticks = 10,
						 .max_ticks = 10000,
						 .parent = parents[i],
						 .function = i > 1 && i < 4 ? i - 1 : 0};
	/* a level, the arrival below it, and the node that came by it */
	nodes[6] = (struct segment_node){.key = (keys[3] + 1) | SEGMENT_KEY_LEVEL,
					 .parent = 2};
	nodes[7] = (struct segment_node){
		.key = keys[2] | SEGMENT_KEY_LEVEL, .call_count = 8, .parent = 6};
	nodes[8] = (struct segment_node){.key = keys[2],
					 .call_count = 2,
					 .total_ticks = 2000,
					 .min_ticks = 1000,
					 .max_ticks = 1000,
					 .parent = 2,
					 .function = 1,
					 .unfinished = SEGMENT_NODE_DETOUR};
	for (uint32_t i = 1; i < 3; i++) {
		functions[i].key = keys[i + 1];
		functions[i].histogram[10 * i] = 5;
		frames[i - 1] = (struct segment_frame){.function = keys[i + 1],
						       .caller = 1,
						       .start_ticks = START + 1000 * i,
						       .node = i + 1,
						       .parent_node = i};
		counts[i].call_count = 50 * i;
	}
}

/* Two snapshots of the first process. */
static void make_base_history(void)
{
	struct segment_history *history = slot_at(HISTORY_SLOT, SEGMENT_SLOT_HISTORY, 1);
	struct segment_snapshot *snapshots = (void *)((char *)history + 512);
	struct segment_site_past *sites = (void *)((char *)history + 2048);
	struct segment_path_past *paths = (void *)((char *)history + 3072);
	struct segment_free_age *ages = (void *)((char *)history + 4096);

	*history = (struct segment_history){.magic = SEGMENT_MAGIC_HISTORY,
					    .process_slot = 1,
					    .snapshots = array(512, 2),
					    .site_pasts = array(2048, 2),
					    .path_pasts = array(3072, 5),
					    .free_ages = array(4096, 2)};
	snapshots[0] = (struct segment_snapshot){"one", START + 100, 4096, 1, 0, 3, 0};
	snapshots[1] = (struct segment_snapshot){"two", START + 200, 0, 4, 3, 2, 0};
	sites[0] = (struct segment_site_past){1, 1, 1, 2, 200, 0, 0};
	sites[1] = (struct segment_site_past){1, 2, 2, 3, 300, 1, 100};
	paths[0].calls_and_node = 2ull << SEGMENT_PAST_NODE_BITS;
	paths[1] = (struct segment_path_past){1ull << SEGMENT_PAST_NODE_BITS | 2, 50};
	paths[2] = (struct segment_path_past){2ull << SEGMENT_PAST_NODE_BITS | 3, 30};
	paths[3].calls_and_node = 2ull << SEGMENT_PAST_NODE_BITS;
	paths[4] = (struct segment_path_past){4ull << SEGMENT_PAST_NODE_BITS | 3, 90};
	ages[1] = (struct segment_free_age){1, 1, 2, 0, 0, 1, 100};
}

static void make_base(void)
{
	struct segment_file header = {.magic = SEGMENT_MAGIC_FILE,
				      .version = SEGMENT_VERSION,
				      .slot_limit = SLOTS,
				      .slot_size = SLOT_BYTES,
				      .token = TOKEN,
				      .slot_count = SLOTS};

	memcpy(base_file, &header, offsetof(struct segment_file, slots));
	make_base_page();
	make_base_process(1);
	make_base_lane(2);
	make_base_process(3);
	make_base_lane(4);
	make_base_history();
}

static void begin(void)
{
	fuzz_spool_begin(&rundir);
	make_base();
}

static void write_file(const char *name, const void *data, size_t size)
{
	int fd = openat(rundir.fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

/* Applies a change to data; returns the size it has then. */
static size_t apply(const struct change *change, uint8_t *data, size_t size)
{
	size_t width = (size_t)1 << (change->how & 3);

	if (!size)
		return 0;
	if (change->how & 8)
		return change->where % size;
	memcpy(data + change->where % size, change->what,
	       width < size - change->where % size ? width : size - change->where % size);
	return size;
}

static void write_damaged(const uint8_t *data, size_t size)
{
	static uint8_t file[sizeof(base_file)], page[sizeof(base_page)];
	uint8_t state[sizeof(base_state)];
	size_t file_size = sizeof(file), page_size = sizeof(page);
	size_t state_size = sizeof(state);

	memcpy(file, base_file, sizeof(file));
	memcpy(page, &base_page, sizeof(page));
	memcpy(state, &base_state, sizeof(state));
	for (; size >= 12; data += 12, size -= 12) {
		struct change change = {.how = data[0],
					.where = data[1] | (uint32_t)data[2] << 8 |
						 (uint32_t)data[3] << 16};

		memcpy(change.what, data + 4, 8);
		if (change.how & 4)
			page_size = apply(&change, page, page_size);
		else if (change.how & 16)
			state_size = apply(&change, state, state_size);
		else
			file_size = apply(&change, file, file_size);
	}
	write_file("run", page, page_size);
	write_file("state", state, state_size);
	write_file(FUZZ_SEGMENT_NAME, file, file_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ingest_watch watch = {.is_live = size & 1};
	struct ingest ingest;
	char error[512];

	if (rundir.fd < 0)
		begin();
	write_damaged(data, size);
	if (ingest_load(&ingest, &rundir, &watch, error, sizeof(error)) < 0)
		return 0;
	if (store_run_into(fuzz_database(), &ingest, error, sizeof(error)) < 0) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
	ingest_done(&ingest);
	return 0;
}
