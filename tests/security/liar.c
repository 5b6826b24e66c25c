/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a process with a recording of its own making, for whoever takes a
 * snapshot of it. usage: liar HOW DIRECTORY NAME; prints its PID and goes on.
 *
 * HOW "sound": nothing is wrong. The others say which number leads out of the file, or
 * what the process does meanwhile: flip (right and wrong in turn), cut (the length of the
 * file), lock (it holds the lock of its history).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/segment_history.h"

#define TOKEN 0x0123456789abcdefull
#define SLOT_BYTES (1ul << 20)
#define SLOTS 6ul
#define FILE_BYTES (SLOTS * SLOT_BYTES)
#define TICKS 1000000

static int fd;
static char *file;

static void *slot_at(uint32_t slot, uint32_t kind)
{
	struct segment_file *header = (void *)file;

	header->slots[slot] = (struct segment_slot){kind, getpid(), 1, 0};
	return file + slot * SLOT_BYTES;
}

static void must(int is_done, const char *what)
{
	if (is_done)
		return;
	perror(what);
	exit(1);
}

static void write_file(const char *name, const void *data, size_t size)
{
	int out = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	must(out >= 0 && write(out, data, size) == (ssize_t)size, name);
	close(out);
}

static void make_facts(void)
{
	struct segment_run run = {.magic = SEGMENT_MAGIC_RUN,
				  .version = SEGMENT_VERSION,
				  .size = sizeof(run),
				  .token = TOKEN,
				  .first_pid = getpid(),
				  .clock_kind = SEGMENT_CLOCK_MONOTONIC,
				  .start_ticks = TICKS,
				  .start_monotonic_ns = TICKS,
				  .ticks_per_second = 1e9};

	write_file(SEGMENT_RUN_NAME, &run, sizeof(run));
}

static struct segment_array array(uint64_t offset, uint32_t capacity, uint32_t count)
{
	return (struct segment_array){offset, capacity, 0, capacity, count};
}

static void make_file(void)
{
	struct segment_file *header = (void *)file;
	struct segment_process *process = slot_at(1, SEGMENT_SLOT_PROCESS);
	struct segment_lane *lane = slot_at(2, SEGMENT_SLOT_LANE);
	struct segment_history *history = slot_at(3, SEGMENT_SLOT_HISTORY);
	struct segment_node *nodes = (void *)((char *)lane + 8192);

	header->magic = SEGMENT_MAGIC_FILE;
	header->version = SEGMENT_VERSION;
	header->slot_limit = SLOTS;
	header->slot_size = SLOT_BYTES;
	header->token = TOKEN;
	header->slot_count = 4;
	process->magic = SEGMENT_MAGIC_PROCESS;
	process->pid = getpid();
	process->start_ticks = TICKS;
	process->history_slot = 3;
	lane->magic = SEGMENT_MAGIC_LANE;
	lane->process_slot = 1;
	lane->frames.offset = 4096;
	lane->frames.capacity = 16;
	lane->nodes.offset = 8192;
	lane->nodes.capacity = lane->nodes.count = 1000;
	for (uint32_t i = 2; i < 1000; i++)
		nodes[i] = (struct segment_node){
			.key = 16 * i, .call_count = i, .parent = 1, .function = 1};
	history->magic = SEGMENT_MAGIC_HISTORY;
	history->process_slot = 1;
	history->snapshots = array(4096, 64, 0);
	history->site_pasts = array(16384, 64, 0);
	history->path_pasts = array(32768, 8192, 0);
	history->free_ages = array(24576, 64, 0);
}

/* Makes the numbers wrong, or right again. */
static void lie(const char *how, int is_wrong)
{
	struct segment_file *header = (void *)file;
	struct segment_process *process = (void *)(file + SLOT_BYTES);
	struct segment_lane *lane = (void *)(file + 2 * SLOT_BYTES);
	struct segment_history *history = (void *)(file + 3 * SLOT_BYTES);
	uint64_t far = is_wrong ? 1ull << 46 : 32768;
	uint32_t many = is_wrong ? UINT32_MAX : 8192;

	if (!strcmp(how, "offset") || !strcmp(how, "flip"))
		history->path_pasts.offset = history->snapshots.offset = far;
	if (!strcmp(how, "capacity") || !strcmp(how, "flip"))
		history->path_pasts.capacity = history->path_pasts.committed = many;
	if (!strcmp(how, "committed"))
		history->path_pasts.committed = many;
	if (!strcmp(how, "count") || !strcmp(how, "flip"))
		history->path_pasts.count = is_wrong ? 0x7fffffff : 0;
	if (!strcmp(how, "lane") || !strcmp(how, "flip"))
		lane->nodes.capacity = lane->nodes.count = is_wrong ? UINT32_MAX : 1000;
	if (!strcmp(how, "lane"))
		lane->nodes.offset = far;
	if (!strcmp(how, "slots"))
		header->slot_count = header->slot_limit = many;
	if (!strcmp(how, "history-slot"))
		process->history_slot = many;
	if (!strcmp(how, "lock"))
		process->snapshot_lock = SEGMENT_LOCK_THREAD;
}

static void go_on(const char *how)
{
	for (;;) {
		if (!strcmp(how, "flip")) {
			lie(how, 1);
			lie(how, 0);
		} else if (!strcmp(how, "cut")) {
			must(ftruncate(fd, SLOT_BYTES) == 0, "ftruncate");
			must(ftruncate(fd, FILE_BYTES) == 0, "ftruncate");
		} else {
			pause();
		}
	}
}

int main(int argc, char **argv)
{
	char *slash = argc == 4 ? strrchr(argv[2], '/') : NULL;

	if (!slash)
		return 2;
	umask(077);
	*slash = '\0';
	must(mkdir(argv[2], 0700) == 0, "mkdir");
	*slash = '/';
	must(mkdir(argv[2], 0700) == 0 && chdir(argv[2]) == 0, "mkdir");
	make_facts();
	fd = open(argv[3], O_RDWR | O_CREAT, 0600);
	must(fd >= 0 && ftruncate(fd, FILE_BYTES) == 0, argv[3]);
	file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(file != MAP_FAILED, "mmap");
	make_file();
	lie(argv[1], strcmp(argv[1], "sound") != 0 && strcmp(argv[1], "cut") != 0);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	go_on(argv[1]);
}
