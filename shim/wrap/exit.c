/* SPDX-License-Identifier: MIT */
/*
 * The end of the process: exit status for the collector, and the first process's bounded
 * wait until run.db is written. Runs on: the thread that calls exit, after every other
 * exit handler and destructor; or the thread that calls _exit. Must not do anything in a
 * vfork child, which shares this memory.
 *
 * on_exit() called from our constructor, which -z initfirst makes the first of all,
 * registers the first handler of the process, so it runs last: after the program's
 * handlers and after the destructors of all libraries.
 */
#include "shim/wrap/begin.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/attributes.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/process.h"
#include "shim/events/context.h"
#include "shim/children/slots.h"
#include "shim/waits/off_cpu.h"
#include "shim/wrap/libc_call.h"
#include "shim/wrap/real.h"

static int wait_at_exit; /* this image belongs to the first process of the run */
static unsigned int wait_limit_ms;
static int64_t (*count_waiting)(void);

/* Dead, but not reaped: the process 1 of many containers never does. */
static int is_zombie(int32_t pid)
{
	char path[32], text[64];
	const char *state;
	long length;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	length = own_io_read_file(path, text, sizeof(text) - 1);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	state = strrchr(text, ')');
	return state && strncmp(state, ") Z", 3) == 0;
}

static int collector_is_gone(const struct segment_state *state, unsigned int round)
{
	int32_t pid = state->collector_pid;

	if (!pid)
		return 0;
	if (SYSCALL(SYS_kill, pid, 0, 0, 0, 0, 0) == -ESRCH)
		return 1;
	return round % 8 == 7 && is_zombie(pid);
}

static void wait_for_collector(struct segment_state *shared)
{
	struct timespec step = {.tv_nsec = 20000000};
	uint64_t deadline = clock_monotonic() + wait_limit_ms * 1000000ull;

	for (unsigned int round = 0;; round++) {
		/* acquire: pairs with the collector's release when it changes state */
		uint32_t bell = __atomic_load_n(&shared->doorbell, __ATOMIC_ACQUIRE);
		uint32_t state =
			__atomic_load_n(&shared->collector_state, __ATOMIC_ACQUIRE);

		if (state == SEGMENT_COLLECTOR_NONE ||
		    state == SEGMENT_COLLECTOR_FINISHED ||
		    __atomic_load_n(&shared->release_first, __ATOMIC_ACQUIRE) ||
		    collector_is_gone(shared, round) || clock_monotonic() > deadline)
			return;
		SYSCALL(SYS_futex, &shared->doorbell, 0 /* FUTEX_WAIT */, bell, &step, 0,
			0);
	}
}

/* Of more threads at the end it is not asked what each has read and written. */
#define ASKED_MOST 256

static int sum_bytes(struct own_io *ret)
{
	const struct lane_context *context =
		__atomic_load_n(&process->lanes, __ATOMIC_ACQUIRE);
	unsigned int asked = 0;

	*ret = (struct own_io){0, 0};
	for (; context; context = context->next_lane) {
		int32_t tid = __atomic_load_n(&context->tid, __ATOMIC_RELAXED);

		if (!tid || context == lane_self)
			continue;
		if (++asked > ASKED_MOST || own_io_add_thread(ret, tid) < 0)
			return -1;
	}
	return own_io_add_rest(ret);
}

#define SHORT_CPU_NS 1000000u

/* A forked child that transferred nothing in calls that are seen, and hardly computed:
 * asking would take as long as the child, for which the kernel makes a folder then. */
static int is_short(const struct lane_context *context)
{
	const struct segment_process *segment = process->segment;
	const struct segment_thread *threads = arrays_entries(segment, &segment->threads);

	return segment->forked_from_slot && context && context == process->lanes &&
	       !context->next_lane && context->thread != UINT32_MAX &&
	       !context->lane->transfers.count && threads[context->thread].cpu_ns &&
	       threads[context->thread].cpu_ns < SHORT_CPU_NS;
}

/* What the kernel says that the process has read and written. */
static void note_bytes(void)
{
	struct own_io bytes;

	if (!libc_call_is_wanted)
		return;
	if (is_short(lane_own())) {
		process_count(SEGMENT_COUNTER_UNASKED_ENDS, 1);
		return;
	}
	if (!gate_enter())
		return;
	if (sum_bytes(&bytes) == 0) {
		process_count(SEGMENT_COUNTER_READ_BYTES, bytes.read_bytes);
		process_count(SEGMENT_COUNTER_WRITE_BYTES, bytes.write_bytes);
		process_count(SEGMENT_COUNTER_COUNTED_ENDS, 1);
	}
	gate_leave();
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static void note_children(void)
{
	struct rusage used;

	if (!gate_enter())
		return;
	if (SYSCALL(SYS_getrusage, RUSAGE_CHILDREN, &used, 0, 0, 0, 0) == 0)
		process_count(SEGMENT_COUNTER_CHILDREN_CPU_NS,
			      timeval_ns(&used.ru_utime) + timeval_ns(&used.ru_stime));
	gate_leave();
}

/* is_last: nothing of the program's runs after this. */
static void process_exits(int status, int is_last)
{
	struct segment_state *shared = process_facts.state;
	uint64_t end_ticks;
	int is_unheard;

	if (!process_is_ready() || !context_is_own_process())
		return;
	end_ticks = lane_own() ? off_cpu_note_ending(lane_own()) : clock_now();
	if (process->segment->state == SEGMENT_PROCESS_RUNNING) {
		note_bytes();
		note_children();
	}
	/* the collector, which knows the slot, has nothing to ask of it */
	is_unheard = process->segment->tenancy >> 1 && is_short(lane_own());
	process->segment->exit_code = status & 0xff;
	process->segment->end_ticks = end_ticks;
	clock_read_both(&shared->last_ticks, &shared->last_monotonic_ns);
	/* release: exit_code and end_ticks come with it */
	__atomic_store_n(&process->segment->state, SEGMENT_PROCESS_EXITING,
			 __ATOMIC_RELEASE);
	if (is_last && !(wait_at_exit && process->pid == process_facts.run->first_pid))
		reuse_offer(SEGMENT_PROCESS_EXITING);
	if (!is_unheard)
		process_ring();
	if (wait_at_exit && process->pid == process_facts.run->first_pid &&
	    gate_is_open())
		wait_for_collector(shared);
}

static void last_handler(int status, void *unused)
{
	(void)unused;
	if (process_is_ready() && context_is_own_process())
		process_count(SEGMENT_COUNTER_WRITE_BYTES, (uint64_t)count_waiting());
	process_exits(status, 1);
}

void exit_watch(int first, unsigned int wait_ms, int64_t (*waiting)(void))
{
	count_waiting = waiting;
	/* a later image of the first process (exec) waits like the first */
	wait_at_exit = first || process_facts.run->first_pid == getpid();
	wait_limit_ms = wait_ms;
	on_exit(last_handler, NULL);
}

exported void _exit(int status)
{
	process_exits(status, 1);
	for (;;)
		SYSCALL(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

exported void _Exit(int status)
{
	_exit(status);
}

/* Ours goes last: at_quick_exit handlers run in reverse order of registration, and
 * quick_exit ends with a call of _exit that nobody can interpose. */
exported void quick_exit(int status)
{
	process_exits(status, 0);
	real_quick_exit(status);
	__builtin_unreachable();
}
