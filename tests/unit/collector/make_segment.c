/* SPDX-License-Identifier: MIT */
#include "tests/unit/collector/make_segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULE_CAPACITY 16u
#define THREAD_CAPACITY 64u
#define SITE_CAPACITY 4096u
#define FRAME_CAPACITY 1024u
#define NODE_CAPACITY 65536u
#define FUNCTION_CAPACITY 512u
#define MODE_CAPACITY 64u

static void must(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	abort();
}

static void *map_new_file(const char *path, uint64_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	void *mapped;

	must(fd >= 0, path);
	must(ftruncate(fd, (off_t)size) == 0, path);
	mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(mapped != MAP_FAILED, path);
	/* else ext4 fills and clears 2 MiB around every first touch */
	must(madvise(mapped, size, MADV_RANDOM) == 0, path);
	close(fd);
	return mapped;
}

void make_run(struct make_run *run, uint64_t token)
{
	const char *parent = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char path[512], error[512];

	snprintf(path, sizeof(path), "%.80s/profshim-test-XXXXXX", parent);
	must(mkdtemp(path) != NULL, path);
	snprintf(run->output, sizeof(run->output), "%.110s/run.db", path);
	snprintf(path, sizeof(path), "%s-spool", run->output);
	must(mkdir(path, 0700) == 0, path);
	snprintf(run->directory, sizeof(run->directory), "%.200s/%016llx", path,
		 (unsigned long long)token);
	must(mkdir(run->directory, 0700) == 0, run->directory);
	snprintf(path, sizeof(path), "%s/run", run->directory);
	run->page = map_new_file(path, sizeof(*run->page));
	*run->page = (struct segment_run){
		.magic = SEGMENT_MAGIC_RUN,
		.version = SEGMENT_VERSION,
		.size = sizeof(*run->page),
		.token = token,
		.first_pid = 100,
		.clock_kind = SEGMENT_CLOCK_MONOTONIC,
		.start_ticks = MAKE_START,
		.start_monotonic_ns = MAKE_START,
		.start_realtime_ns = 1700000000123000000ull,
		.ticks_per_second = 1e9,
		.cpu_count = 2,
		.level = "exact",
		.label = "made",
		.cwd = "/somewhere",
	};
	snprintf(run->page->output, sizeof(run->page->output), "%s", run->output);
	snprintf(path, sizeof(path), "%s/state", run->directory);
	run->state = map_new_file(path, sizeof(*run->state));
	*run->state =
		(struct segment_state){.magic = SEGMENT_MAGIC_STATE, .token = token};
	must(rundir_open(&run->rundir, run->directory, error, sizeof(error)) == 0, error);
}

void make_run_free(struct make_run *run)
{
	char command[512];

	rundir_close(&run->rundir);
	munmap(run->page, sizeof(*run->page));
	munmap(run->state, sizeof(*run->state));
	*strrchr(run->output, '/') = 0;
	snprintf(command, sizeof(command), "rm -rf '%s'", run->output);
	must(system(command) == 0, command);
}

void make_file(struct make_file *file, const struct make_run *run, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.segment", run->directory, name);
	file->file = map_new_file(path, MAKE_SLOTS * MAKE_SLOT_BYTES);
	file->file->magic = SEGMENT_MAGIC_FILE;
	file->file->version = SEGMENT_VERSION;
	file->file->slot_limit = MAKE_SLOTS;
	file->file->slot_size = MAKE_SLOT_BYTES;
	file->file->token = run->page->token;
	file->file->slot_count = 1;
}

void make_file_free(struct make_file *file)
{
	munmap(file->file, MAKE_SLOTS * MAKE_SLOT_BYTES);
}

static void *new_slot(struct make_file *file, uint32_t kind, int pid,
		      uint32_t process_slot, uint32_t *ret_slot)
{
	uint32_t slot = file->file->slot_count++;

	file->file->slots[slot] = (struct segment_slot){
		kind, pid, kind == SEGMENT_SLOT_PROCESS ? slot : process_slot, 0};
	*ret_slot = slot;
	return (char *)file->file + slot * MAKE_SLOT_BYTES;
}

struct segment_process *make_process(struct make_file *file, int pid, uint64_t start,
				     uint64_t end, uint32_t *ret_slot)
{
	struct segment_process *process =
		new_slot(file, SEGMENT_SLOT_PROCESS, pid, 0, ret_slot);

	process->magic = SEGMENT_MAGIC_PROCESS;
	process->pid = pid;
	process->state = end ? SEGMENT_PROCESS_EXITING : SEGMENT_PROCESS_RUNNING;
	process->start_ticks = start;
	process->end_ticks = end;
	process->start_time = 1; /* of no process: init began earlier, others later */
	process->sites.count = 1;
	process->modules.capacity = MODULE_CAPACITY;
	process->modules.offset = 16384;
	process->threads.capacity = THREAD_CAPACITY;
	process->threads.offset = 65536;
	process->modes.capacity = MODE_CAPACITY;
	process->modes.offset = 98304;
	process->sites.capacity = SITE_CAPACITY;
	process->sites.offset = 131072;
	strcpy(process->executable, "/usr/bin/made");
	memcpy(process->command, "made\0it's one", 14);
	process->command_size = 14;
	return process;
}

void make_lane(struct make_lane *lane, struct make_file *file,
	       struct segment_process *process, uint32_t process_slot)
{
	struct segment_thread *threads =
		(void *)((char *)process + process->threads.offset);
	struct segment_lane *header;

	header = new_slot(file, SEGMENT_SLOT_LANE, process->pid, process_slot,
			  &lane->slot);
	header->magic = SEGMENT_MAGIC_LANE;
	header->process_slot = process_slot;
	header->frames.capacity = FRAME_CAPACITY;
	header->frames.offset = 4096;
	header->nodes.capacity = NODE_CAPACITY;
	header->nodes.offset = 1 << 20;
	header->functions.capacity = FUNCTION_CAPACITY;
	header->functions.offset = 8 << 20;
	header->counts.capacity = MODE_CAPACITY;
	header->counts.offset = 10 << 20;
	header->nodes.count = 2;
	header->functions.count = 1;
	lane->lane = header;
	lane->frames = (void *)((char *)header + header->frames.offset);
	lane->nodes = (void *)((char *)header + header->nodes.offset);
	lane->functions = (void *)((char *)header + header->functions.offset);
	lane->nodes[0].min_ticks = lane->nodes[1].min_ticks = UINT64_MAX;
	threads[process->threads.count++] =
		(struct segment_thread){.tid = process->pid + (int)process->threads.count,
					.lane_slot = lane->slot,
					.start_ticks = process->start_ticks,
					.end_ticks = process->end_ticks,
					.name = "worker"};
}

static uint32_t function_of(struct make_lane *lane, uint64_t address)
{
	uint32_t index = 1;

	while (index < lane->lane->functions.count &&
	       lane->functions[index].key != address)
		index++;
	if (index == lane->lane->functions.count) {
		lane->functions[index].key = address;
		lane->lane->functions.count++;
	}
	return index;
}

uint32_t make_call(struct make_lane *lane, uint32_t parent, uint64_t address,
		   uint64_t calls, uint64_t total)
{
	uint32_t index = lane->lane->nodes.count++, function = function_of(lane, address);
	uint64_t each = calls ? total / calls : 0;

	lane->nodes[index] = (struct segment_node){.key = address,
						   .call_count = calls,
						   .total_ticks = total,
						   .min_ticks = calls ? each : UINT64_MAX,
						   .max_ticks = each,
						   .parent = parent,
						   .function = function};
	lane->functions[function].histogram[segment_histogram_bucket(each)] +=
		(uint32_t)calls;
	return index;
}

uint32_t make_return(struct make_lane *lane, uint32_t parent, uint64_t address)
{
	uint32_t index = lane->lane->nodes.count++;

	lane->nodes[index] =
		(struct segment_node){.key = address | SEGMENT_KEY_RETURN_ADDRESS,
				      .min_ticks = UINT64_MAX,
				      .parent = parent};
	return index;
}

uint32_t make_level(struct make_lane *lane, uint32_t below, uint64_t entry)
{
	uint32_t index = make_return(lane, below, entry + 1);

	lane->nodes[index].key |= SEGMENT_KEY_LEVEL;
	return index;
}

uint32_t make_detour(struct make_lane *lane, uint32_t parent, uint32_t level,
		     uint64_t address, uint64_t calls, uint64_t total)
{
	uint32_t arrival = make_level(lane, level, address - 1);
	uint32_t index = make_call(lane, parent, address, calls, total);

	lane->nodes[arrival].call_count = index;
	lane->nodes[index].unfinished |= SEGMENT_NODE_DETOUR;
	return index;
}

void make_frame(struct make_lane *lane, uint32_t node, uint64_t start)
{
	lane->frames[lane->lane->frames.count++] =
		(struct segment_frame){.function = lane->nodes[node].key,
				       .caller = 0x77,
				       .start_ticks = start,
				       .node = node,
				       .parent_node = lane->nodes[node].parent};
}

struct segment_site *make_site(struct segment_process *process,
			       const struct make_lane *lane, uint32_t node,
			       uint64_t allocs, uint64_t alloc_bytes, uint64_t frees,
			       uint64_t free_bytes)
{
	struct segment_site *sites = (void *)((char *)process + process->sites.offset);
	uint32_t index = process->sites.count++;

	sites[index] = (struct segment_site){.node = node,
					     .lane_slot = lane->slot,
					     .alloc_count = allocs,
					     .alloc_bytes = alloc_bytes,
					     .free_count = frees,
					     .free_bytes = free_bytes,
					     .peak_bytes = alloc_bytes};
	lane->nodes[node].site = index;
	return &sites[index];
}

struct segment_module *make_module(struct segment_process *process, const char *path,
				   uint64_t start, uint64_t end, uint64_t bias)
{
	struct segment_module *modules =
		(void *)((char *)process + process->modules.offset);
	struct segment_module *module = &modules[process->modules.count++];

	*module = (struct segment_module){.start = start, .end = end, .bias = bias};
	snprintf(module->path, sizeof(module->path), "%s", path);
	return module;
}

uint32_t make_mode(struct segment_process *process, uint64_t key, uint32_t recording)
{
	struct segment_mode *modes = (void *)((char *)process + process->modes.offset);
	uint32_t number = process->modes.count ? process->modes.count : 1;

	modes[number] = (struct segment_mode){.key = key,
					      .since_ticks = MAKE_START + 1000,
					      .recording = recording,
					      .least = recording,
					      .change_count = 1,
					      .site_count = 2};
	process->modes.count = number + 1;
	return number;
}

uint32_t make_host(struct segment_process *process, uint64_t key, uint64_t host)
{
	struct segment_mode *modes = (void *)((char *)process + process->modes.offset);
	uint32_t number = make_mode(process, key, SEGMENT_RECORDING_EXACT);

	modes[number].host = host;
	return number;
}

void make_count(struct make_lane *lane, uint32_t number, uint64_t calls)
{
	struct segment_count *counts =
		(void *)((char *)lane->lane + lane->lane->counts.offset);

	counts[number].call_count = calls;
	if (lane->lane->counts.count <= number)
		lane->lane->counts.count = number + 1;
}
