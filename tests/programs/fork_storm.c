/* SPDX-License-Identifier: MIT */
/* Four threads that fork fifty children each, while two others allocate as fast as they
 * can: no deadlock, no lost call in any of the 201 processes. */
// flags: -pthread
// tolerate: memory
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 600
// expect-sql: SELECT calls FROM functions WHERE name = 'child' => 200
// expect-sql: SELECT COUNT(*), SUM(complete) FROM processes => 201|201
// expect-sql: SELECT COUNT(*) FROM processes WHERE exit_code = 3 => 200
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'child' => work|200
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'child' => 200|20000
#include "truth.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define ALLOCATORS 2

static atomic_int stop, failed;

ALONE static void step(volatile unsigned *sum)
{
	*sum += 1;
}

ALONE static void child(void)
{
	volatile unsigned sum = 0;
	int i;

	for (i = 0; i < 3; i++)
		step(&sum);
	keep(malloc(opaque(100)));
	_exit(3);
}

ALONE static void *work(void *argument)
{
	int i, pid, status;

	for (i = 0; i < 50; i++) {
		pid = fork();
		if (pid == 0)
			child();
		if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
			failed = 1;
	}
	return argument;
}

ALONE static void *allocate(void *argument)
{
	while (!stop) {
		void *block = malloc(opaque(60));

		keep(block);
		free(block);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[THREADS], allocators[ALLOCATORS];
	int i;

	for (i = 0; i < ALLOCATORS; i++)
		if (pthread_create(&allocators[i], NULL, allocate, NULL))
			return 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	stop = 1;
	for (i = 0; i < ALLOCATORS; i++)
		pthread_join(allocators[i], NULL);
	return failed;
}
