/* SPDX-License-Identifier: MIT */
/* Threads of libgomp, which wait by system calls of their own: parallel regions by the
 * thousand, critical sections, locks, barriers and tasks give what they give without us. */
// flags: -fopenmp
// variants: once
// expect-sql: SELECT name, calls FROM functions WHERE name IN ('part', 'task') ORDER BY 1 =>
//     part|32000; task|200
// expect-sql: SELECT COUNT(*) FROM threads => 4
#include "truth.h"
#include <omp.h>
#include <stdio.h>

static volatile long in_tasks;

ALONE static long part(int i)
{
	return i;
}

ALONE static void task(void)
{
	__atomic_fetch_add(&in_tasks, 1, __ATOMIC_RELAXED);
}

static long regions(void)
{
	long sum = 0;

	for (int round = 0; round < 2000; round++) {
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 2)
		for (int i = 0; i < 16; i++)
			sum += part(i);
	}
	return sum;
}

int main(void)
{
	long guarded = 0, locked = 0, sum;
	omp_lock_t lock;

	omp_set_num_threads(4);
	omp_init_lock(&lock);
	sum = regions();
#pragma omp parallel
	{
		for (int i = 0; i < 300; i++) {
#pragma omp critical
			guarded++;
			omp_set_lock(&lock);
			locked++;
			omp_unset_lock(&lock);
#pragma omp barrier
		}
#pragma omp single
		for (int i = 0; i < 200; i++) {
#pragma omp task
			task();
		}
	}
	printf("%ld %ld %ld %ld\n", sum, guarded, locked, in_tasks);
	return 0;
}
