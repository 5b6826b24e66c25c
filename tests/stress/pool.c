/* SPDX-License-Identifier: MIT */
/*
 * What this is:  see pool.h: free lists by powers of two over one reserved range.
 * Runs on:       tests.
 * Must not:      give memory back.
 */
#include "tests/stress/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "shim/wrap/real.h"

#define POOL_BYTES (256ul << 20)
#define CLASSES 21 /* 16 bytes to 16 MiB */

struct entry {
	struct entry *next;
};

static struct {
	pthread_mutex_t lock;
	struct entry *free;
} classes[CLASSES];
static char *next_bytes, *end_bytes;
static pthread_mutex_t next_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock(pthread_mutex_t *mutex, sigset_t *mask)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, mask);
	pthread_mutex_lock(mutex);
}

static void unlock(pthread_mutex_t *mutex, const sigset_t *mask)
{
	pthread_mutex_unlock(mutex);
	pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* The class stands in the 16 bytes before a block. */
static unsigned class_of(const void *block)
{
	return *(const unsigned *)((const char *)block - 16);
}

static void *carve(unsigned class)
{
	size_t size = ((size_t)16 << class) + 16;
	char *block = NULL;
	sigset_t mask;

	lock(&next_lock, &mask);
	if (size <= (size_t)(end_bytes - next_bytes)) {
		block = next_bytes + 16;
		next_bytes += size;
	}
	unlock(&next_lock, &mask);
	if (block)
		*(unsigned *)(block - 16) = class;
	return block;
}

static void *pool_malloc(size_t size)
{
	unsigned class = 0;
	struct entry *entry;
	sigset_t mask;

	while (class < CLASSES && (size_t)16 << class < size)
		class ++;
	if (class == CLASSES)
		return NULL;
	lock(&classes[class].lock, &mask);
	entry = classes[class].free;
	if (entry)
		classes[class].free = entry->next;
	unlock(&classes[class].lock, &mask);
	return entry ? entry : carve(class);
}

static void pool_free(void *block)
{
	struct entry *entry = block;
	unsigned class = class_of(block);
	sigset_t mask;

	lock(&classes[class].lock, &mask);
	entry->next = classes[class].free;
	classes[class].free = entry;
	unlock(&classes[class].lock, &mask);
}

static void *pool_calloc(size_t count, size_t size)
{
	void *block = pool_malloc(count * size);

	if (block)
		memset(block, 0, count * size);
	return block;
}

static void *pool_realloc(void *old, size_t size)
{
	size_t room = old ? (size_t)16 << class_of(old) : 0;
	void *block;

	if (size <= room)
		return old;
	block = pool_malloc(size);
	if (block && old) {
		memcpy(block, old, room);
		pool_free(old);
	}
	return block;
}

__typeof__(malloc) *real_malloc = pool_malloc;
__typeof__(calloc) *real_calloc = pool_calloc;
__typeof__(realloc) *real_realloc = pool_realloc;
__typeof__(free) *real_free = pool_free;
/* The others are not called. */
__typeof__(posix_memalign) *real_posix_memalign;
__typeof__(aligned_alloc) *real_aligned_alloc;
__typeof__(memalign) *real_memalign;
__typeof__(valloc) *real_valloc;
__typeof__(pvalloc) *real_pvalloc;
__typeof__(malloc_usable_size) *real_malloc_usable_size;

void pool_begin(void)
{
	next_bytes = aligned_alloc(4096, POOL_BYTES);
	if (!next_bytes)
		abort();
	end_bytes = next_bytes + POOL_BYTES;
	for (int i = 0; i < CLASSES; i++)
		pthread_mutex_init(&classes[i].lock, NULL);
}
