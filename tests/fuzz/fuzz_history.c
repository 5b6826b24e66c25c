/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: damages one structure of a sound recording after the
 *                other, takes snapshots of it from outside, and ingests it.
 * Runs on:       tests; libFuzzer or replay.c.
 * See also:      common/segment_history.h, common/segment_series.h,
 * common/segment_names.h; collector/live/snapshot.h, collector/ingest/ingest.h;
 * fuzz_segment.c
 *
 * An input is a list of 12-byte changes: 1 byte how, 3 bytes where, 8 bytes what. Bits
 * 0-1 of how: 1, 2, 4 or 8 bytes wide; the others choose a structure of the list below,
 * so that all of them are reached alike, with headers that stay valid. With an odd rest
 * of bytes the file is cut to half.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/segment_history.h"
#include "common/segment_names.h"
#include "common/segment_series.h"
#include "collector/ingest/ingest.h"
#include "collector/store/store.h"
#include "collector/live/snapshot.h"
#include "tests/fuzz/fuzz_database.h"
#include "tests/fuzz/fuzz_spool.h"

#define TOKEN 0x0123456789abcdefull
#define SLOT_BYTES (1u << 20)
#define START 1000000u
#define PROCESS 1u
#define LANE 2u
#define HISTORY 3u
#define NAMES 4u
#define CHILD 5u
#define SLOTS 7u /* the last one is free */
#define FILE_BYTES ((size_t)SLOTS * SLOT_BYTES)

/* Of a lane's and a process's slot. */
#define FRAMES 1024u
#define NODES 8192u
#define FIBERS 16384u
#define FUNCTIONS 20480u
#define SERIES 65536u
#define MODULES 16384u
#define THREADS 20480u
#define SITES 24576u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rundir rundir;
static int file_fd;
static uint8_t *file;

static void *in_slot(uint32_t slot, size_t offset)
{
	return file + (size_t)slot * SLOT_BYTES + offset;
}

/* What can be damaged. */
static const struct place {
	uint32_t slot, offset, size;
} places[] = {
	{0, 0, 80},
	{0, 80, SLOTS * sizeof(struct segment_slot)},
	{PROCESS, 0, sizeof(struct segment_process)},
	{PROCESS, 0, 256},
	{PROCESS, MODULES, 2 * sizeof(struct segment_module)},
	{PROCESS, THREADS, 2 * sizeof(struct segment_thread)},
	{PROCESS, SITES, 4 * sizeof(struct segment_site)},
	{CHILD, 0, 256},
	{LANE, 0, sizeof(struct segment_lane)},
	{LANE, 0, sizeof(struct segment_lane)},
	{LANE, FRAMES, 4 * sizeof(struct segment_frame)},
	{LANE, NODES, 8 * sizeof(struct segment_node)},
	{LANE, FIBERS, 2 * sizeof(struct segment_fiber)},
	{LANE, FUNCTIONS, 3 * sizeof(struct segment_function)},
	{LANE, SERIES, 1024},
	{LANE, SERIES, 2 * sizeof(struct segment_series)},
	{HISTORY, 0, sizeof(struct segment_history)},
	{HISTORY, 0, sizeof(struct segment_history)},
	{HISTORY, 512, 2 * sizeof(struct segment_snapshot)},
	{HISTORY, 2048, 2 * sizeof(struct segment_site_past)},
	{HISTORY, 3072, 8 * sizeof(struct segment_path_past)},
	{HISTORY, 4096, 2 * sizeof(struct segment_free_age)},
	{NAMES, 0, 64},
	{NAMES, 64, 3 * sizeof(struct segment_name)},
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static void make_process(uint32_t slot)
{
	struct segment_process *process = in_slot(slot, 0);
	struct segment_site *sites = in_slot(slot, SITES);

	*process = (struct segment_process){
		.magic = SEGMENT_MAGIC_PROCESS,
		.pid = 100 + (int)slot,
		.parent_pid = 101,
		.state = SEGMENT_PROCESS_EXITING,
		.forked_from_slot = slot == CHILD ? PROCESS : 0,
		.start_ticks = START + slot,
		.end_ticks = START + 100000,
		.start_time = 1,
		.peak_bytes = 300,
		.peak_generation = 2,
		.modules.count = 2,
		.modules.capacity = 2,
		.modules.offset = MODULES,
		.threads.count = 1,
		.threads.capacity = 2,
		.threads.offset = THREADS,
		.sites.count = slot == CHILD ? 1 : 3,
		.sites.capacity = 4,
		.sites.offset = SITES,
		.executable = "/bin/fuzzed",
		.command = "fuzzed\0it's",
		.command_size = 12,
		.history_slot = slot == PROCESS ? HISTORY : 0,
		.snapshot_interval = slot == PROCESS ? 2 : 0,
	};
	*(struct segment_module *)in_slot(slot, MODULES) =
		(struct segment_module){.start = 0x1000,
					.end = 0x9000,
					.build_id_size = 4,
					.build_id = "ID",
					.path = "/bin/none"};
	*(struct segment_thread *)in_slot(slot, THREADS) =
		(struct segment_thread){100, LANE, START, 0, "main", 0, 0, 0, 0, 0, 0};
	for (uint32_t i = 1; i < 3; i++)
		sites[i] = (struct segment_site){.node = 3 + i,
						 .lane_slot = LANE,
						 .alloc_count = 4,
						 .alloc_bytes = 400,
						 .free_count = 1,
						 .free_bytes = 100,
						 .interval = 3 - i,
						 .peak_generation = i};
}

static void make_series(struct segment_series *series, const char *name, uint32_t kind)
{
	*series = (struct segment_series){.kind = kind,
					  .count = 4,
					  .value_count = 3,
					  .sum = 60,
					  .first_ticks = START + 1,
					  .last_ticks = START + 100,
					  .fifth_highest = 30,
					  .fifth_lowest = 10,
					  .highest_count = 3,
					  .lowest_count = 3};
	strcpy(series->name, name);
	for (uint32_t i = 0; i < 3; i++) {
		struct segment_mark mark = {.value = 10 * (i + 1),
					    .ticks = START + 30 * i,
					    .index = i,
					    .live_bytes = 100};

		series->highest[i] = series->lowest[i] = series->window[i] = mark;
		series->histogram[segment_series_bucket(mark.value)]++;
		series->spans[i] = (struct segment_series_span){
			mark.ticks, mark.ticks, 1, mark.value, 100, 1, 1};
	}
}

static void make_lane(void)
{
	static const uint64_t keys[] = {0,
					0,
					0x1100,
					0x1200,
					0x1210 | SEGMENT_KEY_RETURN_ADDRESS,
					0x5000 | SEGMENT_KEY_RETURN_ADDRESS,
					SEGMENT_KEY_REGION | 2,
					0x2000};
	static const uint32_t parents[] = {0, 0, 1, 2, 3, 4, 2, 6};
	struct segment_frame *frames = in_slot(LANE, FRAMES);
	struct segment_node *nodes = in_slot(LANE, NODES);
	struct segment_fiber *fibers = in_slot(LANE, FIBERS);
	struct segment_function *functions = in_slot(LANE, FUNCTIONS);

	*(struct segment_lane *)in_slot(LANE, 0) = (struct segment_lane){
		.magic = SEGMENT_MAGIC_LANE,
		.process_slot = PROCESS,
		.frames.count = 2,
		.frames.capacity = 8,
		.frames.offset = FRAMES,
		.nodes.count = 8,
		.nodes.capacity = 32,
		.nodes.offset = NODES,
		.functions.count = 3,
		.functions.capacity = 4,
		.functions.offset = FUNCTIONS,
		.fibers.count = 1,
		.fibers.capacity = 2,
		.fibers.offset = FIBERS,
		.series.count = 2,
		.series.capacity = 2,
		.series.offset = SERIES,
	};
	for (uint32_t i = 0; i < 8; i++)
		nodes[i] = (struct segment_node){.key = keys[i],
						 .call_count = i,
						 .total_ticks = 100000 - 10000 * i,
						 .min_ticks = 10,
						 .max_ticks = 10000,
						 .parent = parents[i],
						 .function = i > 1 && i < 4 ? i - 1 : 1};
	for (uint32_t i = 1; i < 3; i++) {
		functions[i].key = keys[i + 1];
		functions[i].histogram[10 * i] = 5;
		frames[i - 1] = (struct segment_frame){.function = keys[i + 1],
						       .caller = 1,
						       .start_ticks = START + 1000 * i,
						       .node = i + 1,
						       .parent_node = i};
	}
	frames[2] = frames[1];
	fibers[0] = (struct segment_fiber){
		.first_frame = 2, .frame_capacity = 2, .depth = 1, .in_use = 1};
	make_series(in_slot(LANE, SERIES), "request", SEGMENT_SERIES_STEP);
	make_series(in_slot(LANE, SERIES + sizeof(struct segment_series)), "queue",
		    SEGMENT_SERIES_COUNTER);
}

static struct segment_array array(uint64_t offset, uint32_t capacity, uint32_t count)
{
	return (struct segment_array){offset, capacity, 0, capacity, count};
}

static void make_history(void)
{
	struct segment_snapshot *snapshots = in_slot(HISTORY, 512);
	struct segment_site_past *sites = in_slot(HISTORY, 2048);
	struct segment_path_past *paths = in_slot(HISTORY, 3072);
	struct segment_free_age *ages = in_slot(HISTORY, 4096);

	*(struct segment_history *)in_slot(HISTORY, 0) =
		(struct segment_history){.magic = SEGMENT_MAGIC_HISTORY,
					 .process_slot = PROCESS,
					 .snapshots = array(512, 8, 2),
					 .site_pasts = array(2048, 8, 2),
					 .path_pasts = array(3072, 64, 5),
					 .free_ages = array(4096, 8, 2)};
	snapshots[0] = (struct segment_snapshot){"one", START + 100, 4096, 1, 0, 3, 0};
	snapshots[1] = (struct segment_snapshot){"two", START + 200, 0, 4, 3, 2, 0};
	sites[0] = (struct segment_site_past){1, 1, 1, 2, 200, 0, 0};
	sites[1] = (struct segment_site_past){1, 2, 2, 3, 300, 1, 100};
	paths[0].calls_and_node = (uint64_t)LANE << SEGMENT_PAST_NODE_BITS;
	paths[1] = (struct segment_path_past){1ull << SEGMENT_PAST_NODE_BITS | 2, 50};
	paths[2] = (struct segment_path_past){2ull << SEGMENT_PAST_NODE_BITS | 3, 30};
	paths[3].calls_and_node = (uint64_t)LANE << SEGMENT_PAST_NODE_BITS;
	paths[4] = (struct segment_path_past){4ull << SEGMENT_PAST_NODE_BITS | 3, 90};
	ages[1] = (struct segment_free_age){1, 1, 2, 0, 0, 1, 100};
}

static void make_names(void)
{
	struct segment_names *names = in_slot(NAMES, 0);

	names->magic = SEGMENT_MAGIC_NAMES;
	names->names = array(sizeof(*names), SEGMENT_NAME_LIMIT, 3);
	strcpy(names->entries[2].component, "parser");
	strcpy(names->entries[2].name, "read");
}

static void make_file(void)
{
	static const uint32_t kinds[] = {SEGMENT_SLOT_FREE,  SEGMENT_SLOT_PROCESS,
					 SEGMENT_SLOT_LANE,  SEGMENT_SLOT_HISTORY,
					 SEGMENT_SLOT_NAMES, SEGMENT_SLOT_PROCESS,
					 SEGMENT_SLOT_FREE};
	struct segment_file *header = (void *)file;

	/* gives the pages back, so that it is all zero */
	if (ftruncate(file_fd, 0) < 0 || ftruncate(file_fd, (off_t)FILE_BYTES) < 0)
		abort();
	header->magic = SEGMENT_MAGIC_FILE;
	header->version = SEGMENT_VERSION;
	header->slot_limit = SLOTS;
	header->slot_size = SLOT_BYTES;
	header->token = TOKEN;
	header->slot_count = CHILD + 1;
	header->name_slot = NAMES;
	for (uint32_t i = 1; i < SLOTS; i++)
		header->slots[i] = (struct segment_slot){
			kinds[i], 100 + (int)i,
			kinds[i] == SEGMENT_SLOT_PROCESS ? i : PROCESS, 0};
	make_process(PROCESS);
	make_process(CHILD);
	make_lane();
	make_history();
	make_names();
}

static void write_facts(void)
{
	struct segment_run run = {
		.magic = SEGMENT_MAGIC_RUN,
		.version = SEGMENT_VERSION,
		.size = sizeof(run),
		.token = TOKEN,
		.first_pid = 101,
		.clock_kind = SEGMENT_CLOCK_TSC,
		.start_ticks = START,
		.start_monotonic_ns = START,
		.ticks_per_second = 2e9,
		.inner_cost_ticks = 3,
		.outer_cost_ticks = 5,
	};
	struct segment_state state = {.magic = SEGMENT_MAGIC_STATE,
				      .token = TOKEN,
				      .last_ticks = 3 * START,
				      .last_monotonic_ns = 2 * START};
	int run_fd = rundir_create_file(rundir.fd, SEGMENT_RUN_NAME);
	int state_fd = rundir_create_file(rundir.fd, SEGMENT_STATE_NAME);

	if (run_fd < 0 || state_fd < 0 ||
	    write(run_fd, &run, sizeof(run)) != sizeof(run) ||
	    write(state_fd, &state, sizeof(state)) != sizeof(state))
		abort();
	close(run_fd);
	close(state_fd);
}

static void begin(void)
{
	fuzz_spool_begin(&rundir);
	write_facts();
	file_fd =
		openat(rundir.fd, FUZZ_SEGMENT_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file_fd < 0 || ftruncate(file_fd, (off_t)FILE_BYTES) < 0)
		abort();
	file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file_fd, 0);
	if (file == MAP_FAILED)
		abort();
}

static void damage(const uint8_t *data, size_t size)
{
	for (; size >= 12; data += 12, size -= 12) {
		const struct place *place = &places[(data[0] >> 2) % PLACES];
		uint32_t width = 1u << (data[0] & 3);
		uint32_t where =
			data[1] | (uint32_t)data[2] << 8 | (uint32_t)data[3] << 16;

		where = where % place->size / width * width;
		memcpy(in_slot(place->slot, place->offset + where), data + 4, width);
	}
}

static void take(void)
{
	struct live_snapshot_memory memory = {.count = 0};
	uint32_t number;

	for (int i = 0; i < 2; i++) {
		int result = live_snapshot_take(file_fd, PROCESS, "taken",
						SEGMENT_SNAPSHOT_INTERVAL, 5,
						START + 5000, &memory, &number);

		if (result < 0)
			live_snapshot_forget(&memory);
	}
	live_snapshot_forget(&memory);
}

static void ingest(int is_live)
{
	struct ingest_watch watch = {.is_live = is_live};
	struct ingest ingest;
	char error[512];

	if (ingest_load(&ingest, &rundir, &watch, error, sizeof(error)) < 0)
		return;
	if (store_run_into(fuzz_database(), &ingest, error, sizeof(error)) < 0) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
	ingest_done(&ingest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!file)
		begin();
	make_file();
	damage(data, size);
	if (size % 12 & 1 && ftruncate(file_fd, (off_t)FILE_BYTES / 2) < 0)
		abort();
	take();
	ingest(size & 2);
	return 0;
}
