/* SPDX-License-Identifier: MIT */
/* 64 coroutines that four threads take from one queue: each goes on in whichever thread
 * comes first, while the other threads switch, too. */
// variants: all
// flags: -pthread
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1 +?
//       create 64 +64
//     start 4
//       take $takes
//       resume 12864
//       put 12800
//     body 64
//       outer 12800
//         work 12800 +12800
//           yield 12800
#include "truth.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define COROUTINES 64
#define STEPS 200
#define STACK_SIZE (64ul << 10)

struct coroutine {
	ucontext_t own, resumer;
	int steps, is_last;
};

static struct coroutine coroutines[COROUTINES];
static struct coroutine *queue[COROUTINES];
static unsigned first, count, finished;
static unsigned long takes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ALONE static void yield(struct coroutine *self)
{
	swapcontext(&self->own, &self->resumer);
}

ALONE static void work(struct coroutine *self)
{
	void *block = malloc(opaque(40));

	keep(block);
	yield(self);
	free(block);
}

ALONE static void outer(struct coroutine *self)
{
	self->is_last = ++self->steps == STEPS;
	work(self);
}

ALONE static void body(unsigned index)
{
	int i;

	for (i = 0; i < STEPS; i++)
		outer(&coroutines[index]);
}

ALONE static void create(unsigned index)
{
	struct coroutine *self = &coroutines[index];

	getcontext(&self->own);
	self->own.uc_stack.ss_sp = malloc(STACK_SIZE);
	self->own.uc_stack.ss_size = STACK_SIZE;
	self->own.uc_link = &self->resumer;
	makecontext(&self->own, (void (*)(void))(void *)body, 1, index);
	queue[count++] = self;
}

/* The next coroutine, or NULL: others have them all. */
ALONE static struct coroutine *take(int *is_over)
{
	struct coroutine *self = NULL;

	pthread_mutex_lock(&lock);
	takes++;
	if (count) {
		self = queue[first];
		first = (first + 1) % COROUTINES;
		count--;
	}
	*is_over = finished == COROUTINES;
	pthread_mutex_unlock(&lock);
	return self;
}

ALONE static void put(struct coroutine *self)
{
	pthread_mutex_lock(&lock);
	queue[(first + count++) % COROUTINES] = self;
	pthread_mutex_unlock(&lock);
}

ALONE static void resume(struct coroutine *self)
{
	swapcontext(&self->resumer, &self->own);
}

ALONE static void *start(void *argument)
{
	int is_over = 0;

	while (!is_over) {
		struct coroutine *self = take(&is_over);
		int is_last;

		if (!self)
			continue;
		/* the resumption after the last step ends the coroutine */
		is_last = self->is_last;
		resume(self);
		if (is_last)
			__atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
		else
			put(self);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[4];
	unsigned i;

	for (i = 0; i < COROUTINES; i++)
		create(i);
	for (i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, start, NULL))
			return 1;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "truth: takes=%lu\n", takes);
	return 0;
}
