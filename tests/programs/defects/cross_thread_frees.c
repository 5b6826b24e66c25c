/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: one thread allocates every item and another one frees it.
 */
// expect: M10 cross-thread-frees make_item
// flags: -pthread
#include "background.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#define BATCH 1600
#define ROUNDS 600

static pthread_barrier_t turn;
static void *items[2][BATCH];

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
	for (int i = 0; i < 40; i++)
		room[i] = make_item((uint64_t)i);
}

static __attribute__((noinline)) void make_batch(void **room)
{
	for (int i = 0; i < BATCH; i += 40)
		make_items(room + i);
}

static __attribute__((noinline)) void use_batch(void **room)
{
	for (int i = 0; i < BATCH; i++)
		free(room[i]);
}

static void *consume(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&turn);
		use_batch(items[i & 1]);
	}
	return unused;
}

int main(void)
{
	pthread_t consumer;

	mallopt(M_TRIM_THRESHOLD, 64 << 20); /* the heap keeps its pages */
	pthread_barrier_init(&turn, NULL, 2);
	if (pthread_create(&consumer, NULL, consume, NULL))
		abort();
	background(2, 100000);
	for (int i = 0; i < ROUNDS; i++) {
		make_batch(items[i & 1]);
		pthread_barrier_wait(&turn);
	}
	pthread_join(consumer, NULL);
	return 0;
}
