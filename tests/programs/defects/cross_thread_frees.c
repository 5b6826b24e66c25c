/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: one thread allocates every item and another one frees it. Both
 *                need the first one's arena, and wait for each other where two CPUs are
 *                free; for nothing else, however busy the machine is: who has nothing to
 *                do goes on computing.
 */
// expect: M10 cross-thread-frees make_items
// flags: -pthread
#include "background.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PART 640	  /* items of a handler */
#define BATCH (40 * PART) /* for forty handlers */
#define ROUNDS 25
#define ROOMS 2
#define STEPS 3000 /* of a handler, and of a part of what is done meanwhile */

static atomic_int made, used; /* rooms */
static void *rooms[ROOMS][BATCH];

static __attribute__((noinline)) void make_items(void **room)
{
	for (int i = 0; i < PART; i++) {
		volatile uint64_t *item = malloc(200);

		if (!item)
			abort();
		item[0] = (uint64_t)i;
		room[i] = (void *)item;
	}
}

static __attribute__((noinline)) void make_batch(void **room)
{
	for (int i = 0; i < BATCH; i += PART)
		make_items(room + i);
}

/* Forty handlers, so that no single one stands out for what its frees take. */
#define HANDLER(n)                                                                       \
	static __attribute__((noinline)) void handle_##n(void **items)                   \
	{                                                                                \
		background_sink = background_mix(background_sink + 1##n, STEPS);         \
		for (int i = 0; i < PART; i++)                                           \
			free(items[i]);                                                  \
	}
#define CALL_HANDLER(n)                                                                  \
	handle_##n(items);                                                               \
	items += PART;

BACKGROUND_ALL(HANDLER)

static __attribute__((noinline)) void use_batch(void **items)
{
	BACKGROUND_ALL(CALL_HANDLER)
}

static void *consume(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		while (made <= i)
			background(1, STEPS);
		use_batch(rooms[i % ROOMS]);
		used++;
	}
	return unused;
}

int main(void)
{
	pthread_t consumer;

	mallopt(M_TRIM_THRESHOLD, 64 << 20); /* the heap keeps its pages */
	if (pthread_create(&consumer, NULL, consume, NULL))
		abort();
	for (int i = 0; i < ROUNDS; i++) {
		while (used + ROOMS <= i)
			background(1, STEPS);
		make_batch(rooms[i % ROOMS]);
		made++;
	}
	while (used < ROUNDS)
		background(1, STEPS);
	pthread_join(consumer, NULL);
	return 0;
}
