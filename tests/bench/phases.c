/* SPDX-License-Identifier: MIT */
/* What this is:  a program whose work changes: from calm phases of few, long calls to busy
 *                ones of many short calls, each time of other functions, in every thread.
 *                Prints the units of work done in each 10 ms of a thread's CPU time, with
 *                the number of the phase. usage: phases THREADS PHASE_MS PHASES */
#include "loop.h"
#include <pthread.h>
#include <stdlib.h>

#define SLICE_MS 10u
#define MOST_SLICES 4096u
#define MOST_THREADS 64u
#define KINDS 3u
#define UNITS_AT_ONCE 4u

struct slice {
	unsigned phase;
	unsigned long units;
};

struct work {
	struct slice slices[MOST_SLICES];
	unsigned result;
};

static unsigned phase_ms, phase_count;

/* Functions of their own for each kind of busy phase, of which nothing is known before; a
 * leaf works for about as many nanoseconds. */
#define KIND(n, ns)                                                                      \
	ALONE static unsigned leaf_##n(unsigned x)                                       \
	{                                                                                \
		for (unsigned i = 0; i < (ns); i++)                                      \
			x = x * 2654435761u + i;                                         \
		return x;                                                                \
	}                                                                                \
	ALONE static unsigned pair_##n(unsigned x)                                       \
	{                                                                                \
		return leaf_##n(leaf_##n(x));                                            \
	}                                                                                \
	ALONE static unsigned busy_##n(unsigned x)                                       \
	{                                                                                \
		for (unsigned i = 0; i < 40; i++)                                        \
			x = pair_##n(x);                                                 \
		return x;                                                                \
	}

KIND(0, 1)
KIND(1, 20)
KIND(2, 100)

ALONE static unsigned calm(unsigned x)
{
	for (unsigned i = 0; i < 1000; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

static unsigned (*const busy[KINDS])(unsigned) = {busy_0, busy_1, busy_2};

UNTRACED unsigned thread_ms(void)
{
	return (unsigned)(seconds_of(CLOCK_THREAD_CPUTIME_ID) * 1e3);
}

__attribute__((no_instrument_function)) static void *change(void *argument)
{
	struct work *work = argument;
	unsigned start = thread_ms(), now = 0, x = 1;

	while (now < phase_ms * phase_count) {
		unsigned phase = now / phase_ms;
		struct slice *slice = &work->slices[now / SLICE_MS];

		for (unsigned i = 0; i < UNITS_AT_ONCE; i++)
			x = phase % 2 ? busy[phase / 2 % KINDS](x) : calm(x);
		slice->phase = phase;
		slice->units += UNITS_AT_ONCE;
		now = thread_ms() - start;
	}
	work->result = x;
	return NULL;
}

UNTRACED void print_slices(const struct work *work, unsigned thread)
{
	for (unsigned i = 0; i < phase_ms * phase_count / SLICE_MS; i++)
		printf("%u %u %lu\n", thread, work->slices[i].phase,
		       work->slices[i].units);
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	unsigned thread_count = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	pthread_t threads[MOST_THREADS];
	struct work *works;

	phase_ms = argc > 2 ? (unsigned)atoi(argv[2]) : 300;
	phase_count = argc > 3 ? (unsigned)atoi(argv[3]) : 6;
	if (!thread_count || thread_count > MOST_THREADS || !phase_ms ||
	    phase_ms % SLICE_MS || phase_count > MOST_SLICES * SLICE_MS / phase_ms)
		return 2;
	works = calloc(thread_count, sizeof(*works));
	if (!works)
		return 1;
	for (unsigned i = 0; i < thread_count; i++)
		if (pthread_create(&threads[i], NULL, change, &works[i]))
			return 1;
	for (unsigned i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < thread_count; i++)
		print_slices(&works[i], i);
	free(works);
	return 0;
}
