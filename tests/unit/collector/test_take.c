/* SPDX-License-Identifier: MIT */
/*
 * What this is:  snapshots taken from outside of files that lie: nothing outside of the
 *                mappings is read or written, and who dies on the way leaves no lock.
 * Runs on:       tests.
 * See also:      collector/live/snapshot.h, common/segment_history.h
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/history.h"
#include "collector/live/control.h"
#include "collector/live/snapshot.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define NOW (MAKE_START + 1000)
#define FILE_BYTES (MAKE_SLOTS * MAKE_SLOT_BYTES)

struct fixture {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	uint32_t slot;
	struct make_lane lane;
	struct live_snapshot_memory memory;
	int fd;
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[512];

	make_run(&f->run, MAKE_TOKEN);
	make_file(&f->file, &f->run, "100-1");
	f->process = make_process(&f->file, 100, MAKE_START, 0, &f->slot);
	make_lane(&f->lane, &f->file, f->process, f->slot);
	make_call(&f->lane, make_call(&f->lane, 1, 0x1000, 1, 100), 0x2000, 2, 50);
	make_frame(&f->lane, 2, MAKE_START);
	snprintf(path, sizeof(path), "%s/100-1.segment", f->run.directory);
	f->fd = open(path, O_RDWR | O_CLOEXEC);
	*state = f;
	return f->fd < 0;
}

static int finish(void **state)
{
	struct fixture *f = *state;

	live_snapshot_forget(&f->memory);
	close(f->fd);
	make_file_free(&f->file);
	make_run_free(&f->run);
	free(f);
	return 0;
}

static int take_called(struct fixture *f, const char *label)
{
	uint32_t number;

	return live_snapshot_take(f->fd, f->slot, label, SEGMENT_SNAPSHOT_COMMAND, 200,
				  NOW, &f->memory, &number);
}

static int take(struct fixture *f)
{
	return take_called(f, "label");
}

static struct segment_history *history_of(const struct fixture *f)
{
	return (void *)((char *)f->file.file +
			f->process->history_slot * MAKE_SLOT_BYTES);
}

TEST_FIXTURE(sound, begin, finish)
{
	const struct segment_path_past *pasts;

	assert_int_equal(take(f), 0);
	assert_int_equal(f->process->snapshot_interval, 1);
	assert_int_equal(f->process->snapshot_lock, 0);
	pasts = (void *)((char *)history_of(f) + history_of(f)->path_pasts.offset);
	assert_int_equal(history_of(f)->path_pasts.count, 3);
	assert_int_equal(pasts[0].calls_and_node >> SEGMENT_PAST_NODE_BITS, f->lane.slot);
	assert_int_equal(pasts[1].total_ticks, 1100); /* with the open frame */
	f->lane.nodes[3].call_count++;
	f->lane.nodes[2].total_ticks = 1100;
	f->lane.lane->frames.count = 0;
	assert_int_equal(take(f), 0);
	assert_int_equal(history_of(f)->path_pasts.count, 5); /* the lane and one node */
}

/* profshim_snapshot("") cost the whole recording. */
TEST_FIXTURE(empty_label, begin, finish)
{
	struct sqlite3 *db;

	assert_int_equal(take_called(f, ""), 0);
	db = check_ingest(&f->run, NULL);
	check_rows(db, "SELECT number, label FROM snapshot", "1|");
	sqlite3_close(db);
}

/* The numbers that lead to memory, each with values that lead out of it. What is beyond
 * the file's size would be a fault here; what is inside of it shows in the other slots.
 */
TEST_FIXTURE(wild_numbers, begin, finish)
{
	static const uint64_t values[] = {
		0,	    1,		7,	    MAKE_SLOT_BYTES - 8, MAKE_SLOT_BYTES,
		FILE_BYTES, UINT32_MAX, 1ull << 40, UINT64_MAX - 7,	 UINT64_MAX};
	struct segment_history *history;
	struct segment_history good;
	uint64_t *words;

	assert_int_equal(take(f), 0);
	history = history_of(f);
	good = *history;
	words = (void *)history;
	for (size_t word = 0; word < sizeof(good) / sizeof(*words); word++) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			*history = good;
			words[word] = values[i];
			f->process->snapshot_interval = (uint32_t)i;
			f->lane.nodes[2].call_count++;
			take(f);
			live_snapshot_forget(&f->memory);
			assert_int_equal(f->process->magic, SEGMENT_MAGIC_PROCESS);
			assert_int_equal(f->lane.lane->magic, SEGMENT_MAGIC_LANE);
			assert_int_equal(f->process->snapshot_lock, 0);
		}
	}
}

TEST_FIXTURE(wild_lane, begin, finish)
{
	static const uint64_t values[] = {0,	      1,
					  7,	      MAKE_SLOT_BYTES - 8,
					  FILE_BYTES, UINT32_MAX / 2,
					  UINT32_MAX, 1ull << 40,
					  UINT64_MAX, (uint64_t)UINT32_MAX << 32 | 3};
	struct segment_lane good = *f->lane.lane;
	uint64_t *words = (void *)f->lane.lane;

	for (size_t word = 1; word < sizeof(good) / sizeof(*words); word++) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			*f->lane.lane = good;
			words[word] = values[i];
			f->process->snapshot_interval = 0;
			take(f);
			live_snapshot_forget(&f->memory);
			assert_int_equal(f->process->magic, SEGMENT_MAGIC_PROCESS);
			assert_int_equal(f->process->snapshot_lock, 0);
		}
	}
}

/* The table of slots, and the numbers that name a slot. */
TEST_FIXTURE(wild_slots, begin, finish)
{
	static const uint32_t values[] = {0,	     1, 2, MAKE_SLOTS, MAKE_SLOTS + 1,
					  UINT32_MAX};

	assert_int_equal(take(f), 0);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		f->process->history_slot = values[i];
		assert_true(take(f) <= 0);
		f->process->history_slot = 0;
		f->file.file->slot_count = values[i];
		assert_true(take(f) <= 0);
		f->file.file->slot_count = 4;
		f->file.file->slot_limit = values[i];
		assert_true(take(f) <= 0);
		f->file.file->slot_limit = MAKE_SLOTS;
		f->file.file->slot_size = (uint64_t)values[i] << 32;
		assert_int_equal(take(f), -EINVAL);
		f->file.file->slot_size = MAKE_SLOT_BYTES;
		live_snapshot_forget(&f->memory);
	}
}

/* Fibers without end that all have the same frames. */
TEST_FIXTURE(many_fibers, begin, finish)
{
	struct segment_lane *lane = f->lane.lane;
	struct segment_fiber *fibers = (void *)((char *)lane + (12 << 20));

	lane->fibers.offset = 12 << 20;
	lane->fibers.count = lane->fibers.capacity = 60000;
	for (uint32_t i = 0; i < lane->fibers.count; i++)
		fibers[i] =
			(struct segment_fiber){.frame_capacity = lane->frames.capacity,
					       .depth = lane->frames.capacity,
					       .in_use = 1};
	assert_int_equal(take(f), 0);
}

/* A gigabyte of nodes, none of them stored. */
TEST_FIXTURE(holes, begin, finish)
{
	uint64_t slot_size = SEGMENT_SLOT_BYTES_MOST;

	assert_int_equal(ftruncate(f->fd, (off_t)(slot_size * 4)), 0);
	f->file.file->slot_size = slot_size;
	f->file.file->slot_limit = 4;
	f->file.file->slot_count = 3;
	assert_int_equal(pwrite(f->fd, f->process, sizeof(*f->process), (off_t)slot_size),
			 sizeof(*f->process));
	f->lane.lane->nodes.count = f->lane.lane->nodes.capacity = UINT32_MAX;
	assert_int_equal(
		pwrite(f->fd, f->lane.lane, sizeof(*f->lane.lane), (off_t)slot_size * 2),
		sizeof(*f->lane.lane));
	assert_int_equal(take(f), 0);
}

TEST_FIXTURE(cut_file, begin, finish)
{
	assert_int_equal(ftruncate(f->fd, 3 << 12), 0);
	assert_int_equal(take(f), -EINVAL);
	assert_int_equal(ftruncate(f->fd, FILE_BYTES), 0);
}

/* Another process cuts the file and makes it longer again, without end. */
TEST_FIXTURE(cut_meanwhile, begin, finish)
{
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			if (ftruncate(f->fd, 1 << 20) < 0 ||
			    ftruncate(f->fd, FILE_BYTES) < 0)
				_exit(1);
	}
	for (int i = 0; i < 300; i++) {
		take(f);
		live_snapshot_forget(&f->memory);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(ftruncate(f->fd, FILE_BYTES), 0);
}

TEST_FIXTURE(lost_mapping, begin, finish)
{
	volatile uint64_t *words =
		shared_map(f->fd, 0, FILE_BYTES, PROT_READ | PROT_WRITE);

	assert_non_null((void *)words);
	assert_int_equal(words[0], SEGMENT_MAGIC_FILE);
	assert_false(shared_map_is_lost((void *)words));
	assert_int_equal(ftruncate(f->fd, 1 << 20), 0);
	assert_int_equal(words[(2 << 20) / 8], 0);
	assert_true(shared_map_is_lost((void *)words));
	words[0] = 1;
	shared_unmap((void *)words);
	assert_int_equal(ftruncate(f->fd, FILE_BYTES), 0);
	assert_int_equal(f->file.file->magic, SEGMENT_MAGIC_FILE);
}

static void pause_nothing(int step)
{
	(void)step;
}

/* The kernel marks the lock of a taker that is killed; the next one, from outside or
 * inside, has it. */
TEST_FIXTURE(dead_holder, begin, finish)
{
	uint32_t *word = &f->process->snapshot_lock;
	struct live_snapshot_lock lock;
	pid_t child;

	for (int inside = 0; inside < 2; inside++) {
		child = fork();
		if (child == 0) {
			if (live_snapshot_lock(&lock, word, 0) < 0)
				_exit(1);
			raise(SIGKILL);
		}
		assert_int_equal(waitpid(child, NULL, 0), child);
		assert_int_equal(*word, SEGMENT_LOCK_DIED);
		if (!inside)
			assert_int_equal(take(f), 0);
		else
			assert_int_equal(
				history_lock(word, SEGMENT_LOCK_THREAD, 0, pause_nothing),
				0);
	}
	assert_int_equal(*word, SEGMENT_LOCK_THREAD);
}

TEST_FIXTURE(living_holder, begin, finish)
{
	f->process->snapshot_lock = SEGMENT_LOCK_THREAD;
	assert_int_equal(take(f), -EBUSY);
	assert_int_equal(f->process->snapshot_lock, SEGMENT_LOCK_THREAD);
	assert_int_equal(f->process->counters[SEGMENT_COUNTER_REFUSED_SNAPSHOTS], 1);
}

/* A child that stops before and after each call of the kernel, and ends with what became
 * of the snapshot. */
static pid_t start_taker(struct fixture *f)
{
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(-take(f));
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, child, NULL,
				(void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)),
			 0);
	return child;
}

static int go_on(pid_t child)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* Whoever has the lock may be without a CPU for as long as others have it, and the
 * process's own snapshots are refused meanwhile: no call is made with it that can be made
 * without. */
TEST_FIXTURE(held_for_a_moment, begin, finish)
{
	struct user_regs_struct registers;
	int status, seen = 0;
	pid_t child = start_taker(f);

	for (status = go_on(child); !WIFEXITED(status); status = go_on(child)) {
		if (!f->process->snapshot_lock)
			continue;
		assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &registers), 0);
		assert_int_equal(registers.orig_rax, SYS_fallocate);
		seen++;
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(seen);
}

/* The process takes one while ours is copied: ours may be the older of the two. */
TEST_FIXTURE(another_meanwhile, begin, finish)
{
	pid_t child = start_taker(f);
	int status;

	while (!f->process->history_slot) /* it is made after the copying */
		assert_true(WIFSTOPPED(go_on(child)));
	f->process->snapshot_interval = 1;
	assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), EAGAIN);
	assert_int_equal(f->process->snapshot_interval, 1);
	assert_int_equal(history_of(f)->path_pasts.count, 0);
	assert_int_equal(f->process->counters[SEGMENT_COUNTER_REFUSED_SNAPSHOTS], 0);
	assert_int_equal(f->process->snapshot_lock, 0);
}

/* What is not part of a snapshot that failed is part of the next one. */
TEST_FIXTURE(after_failure, begin, finish)
{
	uint32_t first;

	assert_int_equal(take(f), 0);
	f->lane.nodes[2].call_count++;
	first = history_of(f)->path_pasts.capacity;
	history_of(f)->path_pasts.capacity = history_of(f)->path_pasts.committed =
		history_of(f)->path_pasts.count + 1;
	assert_int_equal(take(f), -ENOSPC);
	live_snapshot_forget(&f->memory);
	history_of(f)->path_pasts.capacity = first;
	assert_int_equal(take(f), 0);
	assert_int_equal(f->process->snapshot_interval, 2);
	assert_int_equal(history_of(f)->path_pasts.count, 6);
}
