/* SPDX-License-Identifier: MIT */
/*
 * Takes a snapshot from outside: makes a draft, then writes it down, and holds the lock
 * only for that. We may lose the CPU to the process's own threads at any time. With
 * copying under the lock, on two CPUs with ten threads, it was held for 0.1 to 0.3 s, and
 * all snapshots that the process wanted were refused.
 */
#include "collector/live/snapshot.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/history.h"

#define PAUSE_NS 1000000 /* history_lock() makes one pause per millisecond */

static void pause_taker(int step)
{
	struct timespec pause = {.tv_nsec = PAUSE_NS};

	(void)step;
	nanosleep(&pause, NULL);
}

/* Blocks all signals except those that an instruction raises: a stopped taker would keep
 * the process's own snapshots waiting. */
static void block_signals(sigset_t *ret_mask)
{
	static const int raised[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
	sigset_t set;

	sigfillset(&set);
	for (size_t i = 0; i < sizeof(raised) / sizeof(raised[0]); i++)
		sigdelset(&set, raised[i]);
	pthread_sigmask(SIG_BLOCK, &set, ret_mask);
}

/* Registers a robust list whose only entry is one being added. When the thread dies, the
 * kernel releases that lock if its word is the thread's number. */
static void tell_kernel(struct live_snapshot_lock *lock)
{
	size_t size;

	lock->head.list.next = &lock->head.list;
	lock->head.futex_offset = 0;
	lock->head.list_op_pending = (void *)lock->word;
	if (syscall(SYS_get_robust_list, 0, &lock->other_head, &size) < 0 ||
	    syscall(SYS_set_robust_list, &lock->head, sizeof(lock->head)) < 0)
		lock->other_head = NULL;
}

static void leave(struct live_snapshot_lock *lock)
{
	if (lock->other_head)
		syscall(SYS_set_robust_list, lock->other_head, sizeof(lock->head));
	pthread_sigmask(SIG_SETMASK, &lock->mask, NULL);
}

int live_snapshot_lock(struct live_snapshot_lock *ret, uint32_t *word,
		       unsigned int wait_ms)
{
	int result;

	*ret = (struct live_snapshot_lock){.word = word};
	block_signals(&ret->mask);
	tell_kernel(ret);
	result = history_lock(word, (uint32_t)syscall(SYS_gettid), (int)wait_ms,
			      pause_taker);
	if (result < 0)
		leave(ret);
	return result;
}

static void live_snapshot_unlock(struct live_snapshot_lock *lock)
{
	history_unlock(lock->word);
	leave(lock);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* The process's history, mapped as a whole. */
struct target {
	const struct taker *taker;
	struct history history;
	uint32_t slot;
};

/* Makes a slot for the history. The process will map it when it needs it. */
static int make_history(const struct taker *taker)
{
	struct segment_file *file = taker->file;
	uint32_t slot = __atomic_fetch_add(&file->slot_count, 1, __ATOMIC_RELAXED);
	struct segment_process *process = taker->process;
	struct segment_history *history;
	uint32_t expected = 0;
	int result;

	if (slot == 0 || slot >= taker->slot_limit)
		return -ENOSPC;
	result = taker_reserve(taker, offsetof(struct segment_file, slots[slot]),
			       sizeof(file->slots[slot]));
	if (result == 0)
		result = taker_reserve(taker, slot * taker->slot_size, sizeof(*history));
	if (result < 0)
		return result;
	history = taker_map_slot(taker, slot, sizeof(*history));
	if (!history)
		return -ENOMEM;
	history_layout(history, taker->slot_size, taker->process_slot);
	file->slots[slot].pid = process->pid;
	file->slots[slot].process_slot = taker->process_slot;
	/* release: the history is laid out; pairs with the readers' acquire of kind */
	__atomic_store_n(&file->slots[slot].kind, SEGMENT_SLOT_HISTORY, __ATOMIC_RELEASE);
	/* if the process was faster, our slot stays empty */
	__atomic_compare_exchange_n(&process->history_slot, &expected, slot, 0,
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return taker_unmap(history);
}

static int commit_history(void *data, uint64_t offset, uint64_t size)
{
	const struct target *target = data;

	return taker_reserve(target->taker,
			     target->slot * target->taker->slot_size + offset, size);
}

static int map_history(struct target *target)
{
	const struct taker *taker = target->taker;
	struct segment_process *process = taker->process;
	int result = 0;

	if (!__atomic_load_n(&process->history_slot, __ATOMIC_ACQUIRE))
		result = make_history(taker);
	if (result < 0)
		return result;
	target->slot = __atomic_load_n(&process->history_slot, __ATOMIC_ACQUIRE);
	target->history = (struct history){
		.process = process,
		.header = taker_map_slot(taker, target->slot, taker->slot_size),
		.size = taker->slot_size,
		.commit = commit_history,
		.commit_data = target,
	};
	return target->history.header ? history_open(&target->history) : -EINVAL;
}

/* Prepares disk space and pages for what is appended. Failures show up there again. */
static void prepare(const struct target *target, uint32_t count)
{
	const struct segment_array *array = &target->history.path_pasts;
	uint64_t entry = sizeof(struct segment_path_past), first, end;

	if (count > array->capacity - array->count)
		return;
	first = array->offset + array->count * entry;
	end = first + count * entry;
	if (commit_history((void *)target, first, end - first) < 0)
		return;
	first &= ~4095ull;
	madvise((char *)target->history.header + first, end - first, MADV_POPULATE_WRITE);
}

static uint64_t resident_bytes(int32_t pid)
{
	unsigned long long total, resident = 0;
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* May this process have a snapshot? Not in a slot that another process used before, as
 * counts continue from that one; and a child that ends may leave its slot to the next.
 * Call it under the lock. */
static int is_its_own(const struct segment_process *process)
{
	return !process->tenancy &&
	       (!process->forked_from_slot || process->state == SEGMENT_PROCESS_RUNNING);
}

/* Writes the draft down. 0; -EAGAIN: another one was taken since, so the draft may be
 * older; or -errno. */
static int write_down(struct target *target, const struct draft *draft, const char *label,
		      enum segment_snapshot_cause cause, uint64_t rss_bytes, uint64_t now)
{
	struct history *history = &target->history;
	const struct segment_array *copied = &draft->history.path_pasts;
	struct segment_snapshot *snapshot;
	int result = is_its_own(history->process) ? history_open(history) : -EBUSY;

	if (result < 0)
		return result;
	if (history->taken != draft->history.taken)
		return -EAGAIN;
	snapshot = history_begin(history, label, cause);
	if (!snapshot)
		return -ENOSPC;
	snapshot->rss_bytes = rss_bytes;
	result = history_append(history, arrays_entries(draft->history.header, copied),
				copied->count);
	if (result == 0)
		history_end(history, snapshot, now);
	return result;
}

static int take(const struct taker *taker, const char *label,
		enum segment_snapshot_cause cause, unsigned int wait_ms, uint64_t now,
		struct live_snapshot_memory *memory, uint32_t *ret_number)
{
	uint64_t rss_bytes = resident_bytes(taker->process->pid);
	struct target target = {.taker = taker};
	struct live_snapshot_lock lock;
	struct draft draft;
	int result;

	if (!is_its_own(taker->process))
		return -EBUSY;
	result = draft_copy(&draft, taker, now, memory);
	if (result == 0)
		result = map_history(&target);
	if (result == 0) {
		prepare(&target, draft.history.path_pasts.count);
		result = live_snapshot_lock(&lock, &taker->process->snapshot_lock,
					    wait_ms);
	}
	if (result == 0) {
		result = write_down(&target, &draft, label, cause, rss_bytes, now);
		live_snapshot_unlock(&lock);
	}
	*ret_number = target.history.taken;
	draft_done(&draft);
	if (taker_unmap(target.history.header) < 0)
		result = -EIO;
	return result;
}

int live_snapshot_take(int fd, uint32_t process_slot, const char *label,
		       enum segment_snapshot_cause cause, unsigned int wait_ms,
		       uint64_t now, struct live_snapshot_memory *memory,
		       uint32_t *ret_number)
{
	struct taker taker;
	int result = taker_open(&taker, fd, process_slot);

	*ret_number = 0;
	if (result == 0) {
		result = take(&taker, label, cause, wait_ms, now, memory, ret_number);
		if (result < 0 && result != -EAGAIN)
			history_refuse(taker.process);
	}
	return taker_close(&taker, result);
}
