/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program without hooks whose allocations are made deep in code of several
 *                kinds of frames: of libc's callbacks, of aligned stacks, of handlers. Prints
 *                what it did and ends with 0.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes;

__attribute__((noinline)) static void *take(size_t size)
{
	bytes += size;
	return malloc(size);
}

static int by_number(const void *a, const void *b)
{
	int *copy = take(sizeof(int)), result;

	*copy = *(const int *)a;
	result = *copy - *(const int *)b;
	free(copy);
	return result;
}

/* Its frame is told by an expression. */
__attribute__((noinline)) static void aligned(int depth)
{
	char room[16 * (size_t)depth + 64] __attribute__((aligned(64)));
	void *block = take((size_t)depth + 1);

	memset(room, depth, sizeof(room));
	if (depth)
		aligned(depth - 1);
	bytes += (size_t)room[3];
	free(block);
}

static void handle(int number)
{
	free(take((size_t)number));
}

int main(void)
{
	int numbers[64];

	for (int i = 0; i < 64; i++)
		numbers[i] = i * 37 % 64;
	qsort(numbers, 64, sizeof(int), by_number);
	aligned(20);
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	printf("%zu %d %d\n", bytes, numbers[0], numbers[63]);
	return 0;
}
