/* SPDX-License-Identifier: MIT */
/* Stacks of allocations in code without hooks (tests/unit/shim/test_walk.c compares them with
 * what the compiler's own unwinder finds): random trees of calls through frames of all kinds, deep recursion, callbacks, handlers on
 * both stacks, coroutines in the middle of it, threads; in libraries that come and go. */
// variants: all
// flags: -pthread
// plugin: walks_pointer.c -fno-omit-frame-pointer
// plugin: walks_omitted.c -fomit-frame-pointer
// expect-sql: SELECT SUM(alloc_count) FROM allocation_sites WHERE name GLOB 'leaf*' =>
//     $allocations
// expect-sql: SELECT name FROM trust WHERE name LIKE '%_stacks' GROUP BY name HAVING
//     SUM(value) > 100 ORDER BY name => rebuilt_stacks; reused_stacks; truncated_stacks
// expect-trust: partial_stacks => 0
#include "beside.h"
#include "truth.h"
#include "walks.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define STACK_BYTES (256u << 10)
#define COROUTINES 2

static struct walks *(*of_thread)(void);
static void (*handle)(void);
static long allocation_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* One after the other, each stopped in the middle of its walks. Switched by code without
 * hooks. */
static __thread ucontext_t contexts[COROUTINES], resumer;
static __thread int running;

__attribute__((no_instrument_function)) static void stop(void)
{
	swapcontext(&contexts[running], &resumer);
}

__attribute__((no_instrument_function)) static void coroutine(void)
{
	unsigned state = 77;

	of_thread()->wander(&state, 6);
}

ALONE static void run_coroutines(void)
{
	static __thread char stacks[COROUTINES][STACK_BYTES];
	struct walks *walks = of_thread();

	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		contexts[i].uc_link = &resumer;
		makecontext(&contexts[i], coroutine, 0);
	}
	walks->between = stop;
	for (int turn = 0; turn < 20; turn++) {
		running = turn % COROUTINES;
		swapcontext(&resumer, &contexts[running]);
	}
	walks->between = NULL;
}

ALONE static void run_walks(unsigned seed)
{
	struct walks *walks = of_thread();

	for (unsigned i = 0; i < 4; i++) {
		unsigned state = seed + i / 2; /* each twice, the same */

		walks->wander(&state, 7);
	}
	for (int depth = 20; depth < 150; depth += 30) {
		walks->dive(depth);
		walks->dive(depth);
	}
	if (!walks->meet())
		puts("nothing was met");
	walks->sort();
	walks->interrupt();
}

static void *run_thread(void *seed)
{
	stack_t alternate = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};

	sigaltstack(&alternate, NULL);
	run_walks((unsigned)(uintptr_t)seed);
	run_coroutines();
	run_walks((unsigned)(uintptr_t)seed);
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	free(alternate.ss_sp);
	pthread_mutex_lock(&lock);
	allocation_count += of_thread()->allocation_count;
	pthread_mutex_unlock(&lock);
	of_thread()->allocation_count = 0;
	return seed;
}

ALONE static int load_and_run(const char *name)
{
	void *library = load_beside(name);
	pthread_t thread;

	if (!library)
		return 1;
	of_thread = (struct walks * (*)(void))(uintptr_t)dlsym(library, "walks_of");
	handle = (void (*)(void))(uintptr_t)dlsym(library, "walks_handle");
	handle();
	if (pthread_create(&thread, NULL, run_thread, (void *)(uintptr_t)1))
		return 1;
	run_thread((void *)(uintptr_t)2);
	pthread_join(thread, NULL);
	return dlclose(library);
}

int main(void)
{
	for (int i = 0; i < 2; i++)
		if (load_and_run("walks_pointer.so") || load_and_run("walks_omitted.so"))
			return 1;
	fprintf(stderr, "truth: allocations=%ld\n", allocation_count);
	return 0;
}
