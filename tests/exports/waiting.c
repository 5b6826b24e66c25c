// SPDX-License-Identifier: MIT
// Threads that compute, sleep and wait for each other; each calls what the others call.
// Steps of two names, counters, and a snapshot in the middle of each thread.
#include <profshim.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define CALLED __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long sink;

CALLED static void compute(int rounds)
{
	char *volatile block = malloc((size_t)rounds);

	for (int i = 0; i < rounds; i++)
		sink = sink + i;
	free(block);
}

CALLED static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

CALLED static void hold(int rounds)
{
	pthread_mutex_lock(&lock);
	compute(rounds);
	sleep_ms(2);
	pthread_mutex_unlock(&lock);
}

CALLED static void *work(void *rounds)
{
	for (int i = 0; i < 10; i++) {
		profshim_step("round");
		profshim_counter("rounds \"done\"", i);
		compute(*(int *)rounds);
		hold(1000);
		if (i % 5 == 4) {
			profshim_step("half");
			profshim_snapshot("half");
		}
	}
	return NULL;
}

int main(void)
{
	int rounds[] = {1000, 20000, 300000};
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, &rounds[i]);
	compute(5000);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
