/* SPDX-License-Identifier: MIT */
/*
 * Functions whose calls grow by known laws of the size N: growths N [M]. Those of the
 * first part get N from 1 on, exponential() M, which is small.
 */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sum;

__attribute__((noinline)) void constant(void)
{
	sum++;
}

__attribute__((noinline)) void logarithmic(void)
{
	sum++;
}

__attribute__((noinline)) void linear(void)
{
	sum++;
}

__attribute__((noinline)) int linearithmic(const void *left, const void *right)
{
	int a = *(const int *)left, b = *(const int *)right;

	return (a > b) - (a < b);
}

__attribute__((noinline)) void quadratic(void)
{
	sum++;
}

__attribute__((noinline)) void exponential(int left)
{
	sum++;
	if (left > 0) {
		exponential(left - 1);
		exponential(left - 1);
	}
}

int main(int count, char **words)
{
	long n = count > 1 ? atol(words[1]) : 1000, m = count > 2 ? atol(words[2]) : 8;
	int *numbers = malloc((size_t)n * sizeof(*numbers));
	unsigned int random = 1;

	for (int i = 0; i < 50; i++)
		constant();
	for (long left = n; left > 0; left /= 2)
		logarithmic();
	for (long i = 0; i < n; i++) {
		random = random * 1664525 + 1013904223;
		numbers[i] = (int)(random >> 8);
		linear();
	}
	qsort(numbers, (size_t)n, sizeof(*numbers), linearithmic);
	for (long i = 0; i < n; i++)
		for (long j = 0; j < i; j++)
			quadratic();
	exponential((int)m);
	printf("%d\n", numbers[n / 2]);
	free(numbers);
	return 0;
}
