/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: one thread allocates every item and another one frees it. Both
 *                need the first one's arena, and wait for each other where two CPUs are
 *                free.
 */
// expect: M10 cross-thread-frees make_item
// flags: -pthread
#include "background.h"

#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define PART 640	  /* items of a handler */
#define BATCH (40 * PART) /* for forty handlers */
#define ROUNDS 25
#define ROOMS 2
#define STEPS 3000 /* of a handler, and of a part of the producer's other work */

static sem_t full, empty;
static void *rooms[ROOMS][BATCH];

static __attribute__((noinline)) void *make_item(uint64_t number)
{
	volatile uint64_t *item = malloc(200);

	if (!item)
		abort();
	item[0] = number;
	return (void *)item;
}

static __attribute__((noinline)) void make_items(void **room)
{
	for (int i = 0; i < 20; i++)
		room[i] = make_item((uint64_t)i);
}

static __attribute__((noinline)) void make_part(void **room)
{
	for (int i = 0; i < PART; i += 20)
		make_items(room + i);
}

static __attribute__((noinline)) void make_batch(void **room)
{
	for (int i = 0; i < BATCH; i += PART)
		make_part(room + i);
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
		sem_wait(&full);
		use_batch(rooms[i % ROOMS]);
		sem_post(&empty);
	}
	return unused;
}

int main(void)
{
	pthread_t consumer;

	mallopt(M_TRIM_THRESHOLD, 64 << 20); /* the heap keeps its pages */
	sem_init(&full, 0, 0);
	sem_init(&empty, 0, ROOMS);
	if (pthread_create(&consumer, NULL, consume, NULL))
		abort();
	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&empty);
		make_batch(rooms[i % ROOMS]);
		sem_post(&full);
		background(1, STEPS);
	}
	pthread_join(consumer, NULL);
	return 0;
}
