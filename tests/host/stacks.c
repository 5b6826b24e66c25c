/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program of a known call tree: work() is called by two functions, by one
 *                three times as often; a function calls itself five times before it does
 *                its part; a library calls back. It works until it has had 1 s of CPU time.
 *                usage: stacks [strays]; strays: then it computes in a stack of a kind that
 *                no table describes.
 * Must not:      print anything.
 * See also:      plain_samples.py
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALONE __attribute__((noinline, noclone))

static volatile uint64_t kept;

ALONE static void work(int steps)
{
	uint64_t value = kept | 1;

	for (int i = 0; i < steps; i++) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(value));
	}
	kept = value;
}

ALONE static void three_calls(void)
{
	for (int i = 0; i < 3; i++)
		work(2000);
	kept++;
}

ALONE static void one_call(void)
{
	work(2000);
	kept++;
}

ALONE static void bottom(void)
{
	uint64_t value = kept;

	for (int i = 0; i < 3000; i++) {
		value = value * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(value));
	}
	kept = value;
}

ALONE static void descend(int levels)
{
	volatile char room[200] = {0};

	if (levels > 1)
		descend(levels - 1);
	else
		bottom();
	kept += (uint64_t)room[levels];
}

ALONE static int compare(const void *left, const void *right)
{
	uint64_t value = *(const uint32_t *)left;

	for (int i = 0; i < 300; i++) {
		value = value * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(value));
	}
	kept = value;
	return *(const int *)left - *(const int *)right;
}

ALONE static void sort(void)
{
	int numbers[8] = {5, 3, 8, 1, 9, 2, 7, 4};

	qsort(numbers, 8, sizeof(numbers[0]), compare);
	kept += (uint64_t)numbers[0];
}

static int64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Without a frame for unwinders, below a stack pointer that is not the thread's. */
__attribute__((naked, noinline)) static void stray(void)
{
	__asm__(".cfi_undefined rip\n\t"
		"mov $30000000, %ecx\n"
		"1:\tdec %ecx\n\t"
		"jnz 1b\n\t"
		"ret");
}

int main(int argc, char **argv)
{
	while (cpu_ms() < 1000) {
		for (int i = 0; i < 20; i++) {
			three_calls();
			one_call();
			descend(5);
			sort();
		}
	}
	if (argc > 1 && strcmp(argv[1], "strays") == 0)
		stray();
	return 0;
}
