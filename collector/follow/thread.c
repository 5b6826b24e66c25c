/* SPDX-License-Identifier: MIT */
/* The thread that has a lane: its clocks, and what it waits for now. */
#include "collector/follow/parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/history.h"

/* A thread is another one when its number is, or its row in the process. */
static uint32_t row_of(struct follow *follow, const struct follow_lane *lane,
		       const struct segment_thread *thread)
{
	bool is_new;
	uint32_t row = map_number(&follow->thread_map,
				  (uint64_t)lane->process << 32 | lane->header.thread,
				  (uint64_t)(uint32_t)thread->tid, 0, &is_new);
	struct follow_thread *to;

	if (!is_new)
		return row;
	follow->thread_rows =
		array_room(follow->thread_rows, row, sizeof(*follow->thread_rows));
	to = &follow->thread_rows[row];
	*to = (struct follow_thread){.process = lane->process, .tid = thread->tid};
	ledger_grow(&follow->threads, row + 1);
	return row;
}

/* What the kernel counts of it. A thread of another PID namespace has no number here. */
static int read_clocks(const struct follow *follow, const struct follow_process *process,
		       int32_t tid, uint64_t *cpu_ns, uint64_t *ready_ns)
{
	char path[64], text[96];
	ssize_t length;
	int file;

	if (follow->pid && follow->pid != follow->inner_pid)
		return 0;
	if (follow->pid)
		snprintf(path, sizeof(path), "task/%" PRId32 "/schedstat", tid);
	else
		snprintf(path, sizeof(path),
			 "/proc/%" PRId32 "/task/%" PRId32 "/schedstat",
			 process->header.pid, tid);
	file = openat(follow->proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	length = read(file, text, sizeof(text) - 1);
	close(file);
	if (length <= 0)
		return 0;
	text[length] = 0;
	return sscanf(text, "%" SCNu64 " %" SCNu64, cpu_ns, ready_ns) == 2;
}

/* Returns what it was ready since the last look, as far as it is known. */
static int64_t add_clocks(struct follow *follow, uint32_t row, uint64_t now_ns,
			  uint64_t cpu_ns, uint64_t ready_ns)
{
	struct follow_thread *thread = &follow->thread_rows[row];
	int64_t ready = 0;

	if (thread->seen_ns) {
		int64_t wall_ns = (int64_t)(now_ns - thread->seen_ns);

		ready = follow_more(&thread->ready_ns, ready_ns);

		ledger_add(&follow->threads, row, FOLLOW_THREAD_WALL_NS, wall_ns);
		ledger_add(&follow->threads, row, FOLLOW_THREAD_CPU_NS,
			   follow_more(&thread->cpu_ns, cpu_ns));
		ledger_add(&follow->threads, row, FOLLOW_THREAD_READY_NS, ready);
	} else {
		thread->cpu_ns = cpu_ns;
		thread->ready_ns = ready_ns;
	}
	thread->seen_ns = now_ns;
	return ready;
}

struct thread_look follow_look_at_thread(struct follow *follow, struct follow_lane *lane)
{
	const struct follow_process *process = follow->processes[lane->process];
	const struct follow_file *file = &follow->files[lane->file];
	struct history_booked booked = history_read_booked(&lane->header);
	uint64_t cpu_ns = 0, ready_ns = 0, now_ns = ticks_monotonic_ns();
	struct segment_thread thread;
	struct segment_array threads;
	struct thread_look look = {0, 0};
	struct follow_thread *to;

	lane->thread = NO_LANE;
	arrays_read(&process->header, ARRAY_THREADS, file->reader.slot_size, &threads);
	if (!lane->header.in_use || !process->is_alive ||
	    lane->header.thread >= threads.count ||
	    segment_reader_bytes(&file->reader, process->slot,
				 threads.offset +
					 (uint64_t)lane->header.thread * sizeof(thread),
				 &thread, sizeof(thread)) < 0 ||
	    thread.end_ticks)
		return look;
	lane->thread = row_of(follow, lane, &thread);
	to = &follow->thread_rows[lane->thread];
	memcpy(to->name, thread.name, sizeof(to->name));
	to->name[sizeof(to->name) - 1] = 0;
	to->is_alive = 1;
	to->open_path = 0;
	to->has_clocks = read_clocks(follow, process, thread.tid, &cpu_ns, &ready_ns);
	look.ready_ns = add_clocks(follow, lane->thread, now_ns, cpu_ns, ready_ns);
	if (to->has_clocks && booked.tid == thread.tid)
		look.open_ns = history_open_ns(&lane->header, &booked, now_ns, cpu_ns);
	return look;
}
