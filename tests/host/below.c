/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that computes in libc, on behalf of functions that are only
 *                counted: thrice() copies three times as much as once(); copy() is called
 *                as often by much() as by little(), which has a ninth of it copied. Then
 *                bsearch() is called by finds(), and calls compare() once. It works until
 *                it has had 1.1 s of CPU time, 0.6 of them with copies.
 * Must not:      print anything that differs from run to run.
 * See also:      stacks.py
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALONE __attribute__((noinline, noclone))
#define UNHOOKED __attribute__((no_instrument_function))

#define BYTES 1024
#define COUNT 64

static char from[BYTES], to[BYTES];
static uint32_t numbers[COUNT];

UNHOOKED static inline __attribute__((always_inline)) void copy_times(int times)
{
	size_t bytes = BYTES;

	__asm__ volatile("" : "+r"(bytes));
	while (times--) {
		memcpy(to, from, bytes);
		__asm__ volatile("" : : : "memory");
	}
}

ALONE static void thrice(void)
{
	copy_times(9);
}

ALONE static void once(void)
{
	copy_times(3);
}

ALONE static void copy(int times)
{
	copy_times(times);
	__asm__ volatile("");
}

ALONE static void much(void)
{
	copy(9);
	__asm__ volatile("");
}

ALONE static void little(void)
{
	copy(1);
	__asm__ volatile("");
}

ALONE static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

static void *(*volatile search)(const void *key, const void *all, size_t count,
				size_t bytes,
				int (*compare)(const void *, const void *)) = bsearch;

ALONE static void finds(void)
{
	for (int i = 0; i < 8; i++)
		search(&numbers[COUNT / 2], numbers, COUNT, sizeof(*numbers), compare);
	__asm__ volatile("");
}

ALONE static void block(void)
{
	for (int i = 0; i < 2000; i++) {
		thrice();
		once();
		much();
		little();
	}
	__asm__ volatile("");
}

ALONE static void searches(void)
{
	for (int i = 0; i < 2000; i++)
		finds();
	__asm__ volatile("");
}

UNHOOKED static double computed_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		numbers[i] = i;
	while (computed_s() < 0.6)
		block();
	while (computed_s() < 1.1)
		searches();
	puts("done");
	return 0;
}
