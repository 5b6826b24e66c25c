/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the hot library under threads: nested calls with and without repairs,
 *                blocks freed by other threads, threads that come and go on recycled
 *                lanes, new nodes and sites all the time, a reader that follows the
 *                published counts, regions, steps and counters, signals into everything.
 *                usage: hot ROUNDS [signals]
 * Runs on:       tests; plain, with ASan and UBSan, and with TSan.
 * Must not:      call what the hot library would not be called by a program for.
 * See also:      tests/stress/check.h, which looks at what is left; pool.h
 *
 * What the threads did is counted here as well, and compared in the end.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/segment_names.h"
#include "common/segment_series.h"
#include "shim/core/process.h"
#include "shim/events/events.h"
#include "shim/events/context.h"
#include "shim/stacks/stack.h"
#include "tests/stress/check.h"
#include "tests/stress/pool.h"
#include "tests/unit/shim/fixture.h"

#define WORKERS 6
#define SHELVES 64
#define DEPTH 12
#define FUNCTIONS 300
#define NAMES 40
#define CHURN_BATCH 8
#define SHOWERS 400
#define PATH_LIMIT 4000000

struct block {
	uint64_t size;
	char rest[];
};

static _Atomic(struct block *) shelves[SHELVES];
static atomic_ullong call_count, alloc_count, orphan_count, signal_count, mark_count;
static atomic_int is_over;

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* A function and the site that calls it; the addresses are nobody's. */
static void *function_at(uint32_t number)
{
	return (void *)(uintptr_t)(0x100000 + 64 * number);
}

static void *site_at(uint32_t number)
{
	return (void *)(uintptr_t)(0x900000 + 4 * number);
}

/* Puts a new block on a shelf and frees what lay there, whoever made it; or lets what lay
 * there grow or shrink. */
static void exchange(uint32_t *random)
{
	uint32_t which = next_random(random) % SHELVES;
	uint64_t size = sizeof(struct block) + next_random(random) % 3000;
	struct block *block;

	if (next_random(random) % 1000 == 0)
		size += 1 << 20;
	if (next_random(random) % 4 == 0) {
		block = atomic_exchange(&shelves[which], NULL);
		block = hot_realloc(block, size);
	} else {
		block = next_random(random) % 2 ? hot_malloc(size) : hot_calloc(1, size);
	}
	if (!block)
		abort();
	block->size = size;
	atomic_fetch_add(&alloc_count, 1);
	hot_free(atomic_exchange(&shelves[which], block));
}

static void leave_oddly(uint32_t function, uint32_t *random)
{
	if (next_random(random) % 50 == 0) {
		/* matches nothing that is open */
		__cyg_profile_func_exit(function_at(FUNCTIONS + 1), site_at(0));
		atomic_fetch_add(&orphan_count, 1);
	}
	/* without its exit: the caller's will close it */
	if (next_random(random) % 40 != 0)
		__cyg_profile_func_exit(function_at(function), site_at(function));
}

static uintptr_t stack_here(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

static void mark(uint32_t number)
{
	char name[16];

	snprintf(name, sizeof(name), "mark %u", number % NAMES);
	if (number % 2)
		series_step(name);
	else
		series_counter(name, number);
	atomic_fetch_add(&mark_count, 1);
}

static void begin_region(char *name, size_t size, uint32_t number)
{
	snprintf(name, size, "region %u", number % NAMES);
	region_begin("stress", name, stack_here());
	atomic_fetch_add(&call_count, 1);
}

/* Most of them: the rest ends with the function, some ends have no begin. */
static void end_region(const char *name, uint32_t *random)
{
	if (name[0] && next_random(random) % 20)
		region_end("stress", name, stack_here());
	if (next_random(random) % 50 == 0) {
		region_end("stress", "never begun", stack_here());
		atomic_fetch_add(&orphan_count, 1);
	}
}

static void call(uint32_t function, int depth, uint32_t *random)
{
	char region[16] = "";

	__cyg_profile_func_enter(function_at(function), site_at(function));
	atomic_fetch_add(&call_count, 1);
	if (next_random(random) % 4 == 0)
		begin_region(region, sizeof(region), next_random(random));
	for (uint32_t i = next_random(random) % 4; i && depth; i--)
		call((function * 7 + i) % FUNCTIONS, depth - 1, random);
	if (next_random(random) % 3 == 0)
		exchange(random);
	if (next_random(random) % 3 == 0)
		mark(next_random(random));
	end_region(region, random);
	leave_oddly(function, random);
}

/* Some calls by a thread that nobody has heard of before; the last exit is regular. */
static void *work(void *argument)
{
	uint32_t random = (uint32_t)(uintptr_t)argument;
	uint32_t rounds = random & 0xffff;
	sigset_t signals;

	for (uint32_t i = 0; i < rounds; i++) {
		__cyg_profile_func_enter(function_at(FUNCTIONS), site_at(1));
		call(next_random(&random) % FUNCTIONS, (int)(i % DEPTH), &random);
		__cyg_profile_func_exit(function_at(FUNCTIONS), site_at(1));
		atomic_fetch_add(&call_count, 1);
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	context_release(); /* what the destructor in shim/wrap/fork.c does */
	return NULL;
}

/* The library's own, by a raw system call, would leave ThreadSanitizer believing that the
 * memory is still what it was when the kernel gives the address to another thread. */
void process_unmap(void *start, uint64_t size)
{
	if (start)
		munmap(start, size);
}

static void start(pthread_t *thread, uint32_t rounds, uint32_t seed)
{
	if (pthread_create(thread, NULL, work, (void *)(uintptr_t)(seed << 16 | rounds)))
		abort();
}

/* Follows the entries that the writers have published, in the process itself, so that
 * ThreadSanitizer sees both sides: an entry behind its count must be whole. */
static void read_lane(const struct lane_context *context)
{
	uint32_t nodes = __atomic_load_n(&context->lane->nodes.count, __ATOMIC_ACQUIRE);
	uint32_t functions =
		__atomic_load_n(&context->lane->functions.count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 2; i < nodes; i++) {
		const struct segment_node *node = &context->nodes[i];

		if (!node->key || !node->parent || node->parent >= i ||
		    node->function >= FUNCTIONS + NAMES + 10)
			abort();
	}
	for (uint32_t i = 1; i < functions; i++) {
		if (!context->functions[i].key)
			abort();
	}
}

static void *read_along(void *unused)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	const struct segment_process *segment = process->segment;

	while (!atomic_load(&is_over)) {
		uint32_t sites = __atomic_load_n(&segment->sites.count, __ATOMIC_ACQUIRE);
		const struct lane_context *context;
		uint64_t mask;

		if (!process_lock(&mask))
			abort();
		context = process->lanes;
		process_unlock(&mask);
		for (; context; context = context->next_lane)
			read_lane(context);
		for (uint32_t i = 1; i < sites; i++) {
			if (!process->sites[i].node || !process->sites[i].lane_slot)
				abort();
		}
		nanosleep(&pause, NULL);
	}
	return unused;
}

/* A handler that calls and allocates, wherever it lands. */
static void on_signal(int signal)
{
	__cyg_profile_func_enter(function_at(FUNCTIONS + 2), site_at(2));
	region_begin("stress", "in a handler", stack_here());
	hot_free(hot_malloc(signal_count % 500));
	mark((uint32_t)signal_count);
	region_end("stress", "in a handler", stack_here());
	__cyg_profile_func_exit(function_at(FUNCTIONS + 2), site_at(2));
	atomic_fetch_add(&call_count, 2);
	atomic_fetch_add(&alloc_count, 1);
	atomic_fetch_add(&signal_count, 1);
	(void)signal;
}

static void churn(uint32_t seed)
{
	pthread_t threads[CHURN_BATCH];

	for (int i = 0; i < CHURN_BATCH; i++)
		start(&threads[i], 3, seed * CHURN_BATCH + (uint32_t)i);
	for (int i = 0; i < CHURN_BATCH; i++)
		pthread_join(threads[i], NULL);
}

static void run(uint32_t rounds, int with_signals)
{
	const struct timespec pause = {.tv_nsec = 100000};
	pthread_t workers[WORKERS], reader;

	for (uint32_t i = 0; i < WORKERS; i++)
		start(&workers[i], rounds, i + 1);
	if (pthread_create(&reader, NULL, read_along, NULL))
		abort();
	for (uint32_t i = 0; i < SHOWERS; i++) {
		if (i % 20 == 0)
			churn(i + 100);
		for (int j = 0; with_signals && j < WORKERS; j++)
			pthread_kill(workers[j], SIGUSR1);
		nanosleep(&pause, NULL);
		snapshot_take("shower", SEGMENT_SNAPSHOT_CALL);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	atomic_store(&is_over, 1);
	pthread_join(reader, NULL);
}

static uint64_t marks_of(const struct lane_context *context)
{
	const struct segment_series *series =
		(void *)((char *)context->lane + context->lane->series.offset);
	uint64_t count = context->lane->lost_mark_count;

	for (uint32_t i = 0; i < context->lane->series.count; i++)
		count += series[i].count;
	return count;
}

/* Each name once, whoever came first. */
static void compare_marks(struct check *check)
{
	const struct segment_names *names =
		process_map_slot(process_facts.file->name_slot);
	uint64_t marks = 0;

	for (const struct lane_context *context = process->lanes; context;
	     context = context->next_lane)
		marks += marks_of(context);
	check_that(check, marks == mark_count,
		   "%llu marks are recorded or lost, %llu were made",
		   (unsigned long long)marks, mark_count);
	check_that(check, names && !names->is_full && names->names.count <= 2 + NAMES + 1,
		   "%u names of regions, not %u", names ? names->names.count : 0,
		   2 + NAMES + 1);
}

/* What the file says, against what was counted here. */
static void compare(struct check *check)
{
	uint64_t calls = 0, orphans = 0, folded = 0, allocated = 0, live = 0,
		 live_bytes = 0;
	uint64_t shelved = 0, shelved_bytes = 0;
	const struct segment_process *segment = process->segment;
	uint64_t dropped = segment->counters[SEGMENT_COUNTER_DROPPED_ALLOCATIONS];

	for (const struct lane_context *context = process->lanes; context;
	     context = context->next_lane) {
		for (uint32_t i = 2; i < context->lane->nodes.count; i++)
			calls += context->nodes[i].call_count;
		orphans += context->lane->orphan_exit_count +
			   context->lane->orphan_region_count;
		folded += context->lane->folded_call_count;
	}
	for (uint32_t i = 1; i < segment->sites.count; i++) {
		allocated += process->sites[i].alloc_count;
		live += process->sites[i].alloc_count - process->sites[i].free_count;
		live_bytes +=
			process->sites[i].alloc_bytes - process->sites[i].free_bytes;
	}
	for (int i = 0; i < SHELVES; i++) {
		struct block *block = atomic_load(&shelves[i]);

		shelved += block != NULL;
		shelved_bytes += block ? block->size : 0;
	}
	check_that(check, calls + folded == call_count,
		   "%llu calls are recorded, %llu were made",
		   (unsigned long long)(calls + folded), call_count);
	check_that(check, orphans == orphan_count, "%llu orphans are recorded, %llu made",
		   (unsigned long long)orphans, orphan_count);
	/* what a handler does inside an allocation's hook is dropped, and counted */
	check_that(check, allocated + dropped == alloc_count,
		   "%llu allocations are recorded, %llu dropped, %llu were made",
		   (unsigned long long)allocated, (unsigned long long)dropped,
		   alloc_count);
	check_that(check, live == shelved && live_bytes == shelved_bytes,
		   "%llu blocks of %llu bytes are recorded, %llu of %llu live",
		   (unsigned long long)live, (unsigned long long)live_bytes,
		   (unsigned long long)shelved, (unsigned long long)shelved_bytes);
	for (int i = 0; i < SEGMENT_PROCESS_COUNTERS; i++) {
		uint64_t allowed = 0;

		if (i == SEGMENT_COUNTER_TOOL_BYTES ||
		    i == SEGMENT_COUNTER_OWN_MAJOR_FAULTS)
			continue;
		if (i == SEGMENT_COUNTER_DROPPED_ALLOCATIONS ||
		    i == SEGMENT_COUNTER_UNKNOWN_FREES)
			allowed = dropped;
		check_that(check, segment->counters[i] <= allowed,
			   "trust counter %d is %llu", i,
			   (unsigned long long)segment->counters[i]);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 0, lanes = 0;
	int walked = 0;
	struct check check;

	if (!rounds || rounds > 0xffff) {
		fprintf(stderr, "usage: %s ROUNDS [signals]\n", argv[0]);
		return 2;
	}
	fixture_begin(PATH_LIMIT);
	pool_begin();
	sigaction(SIGUSR1, &action, NULL);
	run(rounds, argc > 2);
	if (check_open(&check, process_file_path, 1) < 0)
		return 1;
	check_file(&check);
	check_shadow(&check, process->slot);
	compare(&check);
	compare_marks(&check);
	for (const struct lane_context *context = process->lanes; context;
	     context = context->next_lane) {
		lanes++;
		walked |= context->lane->reused_stack_count > 0 &&
			  context->lane->rebuilt_stack_count > 0;
	}
	/* main's, the workers' and one batch's, however many threads there were */
	check_that(&check, lanes <= 1 + WORKERS + CHURN_BATCH,
		   "%u lanes for at most %u threads at once", lanes,
		   1 + WORKERS + CHURN_BATCH);
	check_that(&check, walked, "no stack was walked");
	printf("%llu calls, %llu allocations (%llu dropped), %llu signals, %u threads "
	       "on %u lanes\n",
	       call_count, alloc_count,
	       (unsigned long long)
		       process->segment->counters[SEGMENT_COUNTER_DROPPED_ALLOCATIONS],
	       signal_count, process->segment->threads.count, lanes);
	check_close(&check);
	fixture_end();
	return check.failure_count != 0;
}
