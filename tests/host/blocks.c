/* SPDX-License-Identifier: MIT */
/* Blocks of all small sizes, many at once, whatever the allocator: counted here, too.
 * Two threads exchange them, a child goes on with what it inherited. */
#include "truth.h"
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT 4000

static void *blocks[COUNT];

ALONE static void *make(size_t size)
{
	void *block = malloc(opaque(size));

	memset(block, (int)size, size);
	return block;
}

ALONE static void *make_aligned(size_t alignment, size_t size)
{
	void *block = NULL;

	if (posix_memalign(&block, alignment, opaque(size)) ||
	    (uintptr_t)block % alignment)
		abort();
	return block;
}

static void *free_odd(void *argument)
{
	for (int i = 1; i < COUNT; i += 2)
		free(blocks[i]);
	return argument;
}

int main(void)
{
	pthread_t thread;
	int pid, status;

	for (int i = 0; i < COUNT; i++)
		blocks[i] = i % 10 ? make((size_t)i % 40 + 1) : make_aligned(64, 100);
	if (pthread_create(&thread, NULL, free_odd, NULL) || pthread_join(thread, NULL))
		return 1;
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < COUNT; i += 4)
			free(blocks[i]);
		for (int i = 0; i < 10; i++)
			make(8);
		_exit(4);
	}
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 4)
		return 1;
	for (int i = 0; i < COUNT; i += 4)
		blocks[i] = realloc(blocks[i], 50);
	printf("usable: %d\n", malloc_usable_size(blocks[2]) >= 3);
	return 0;
}
