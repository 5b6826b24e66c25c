/* SPDX-License-Identifier: MIT */
/* Who signals and ends before the one that waits has a CPU has signalled it, though the end
 * of a thread is a signal, too, and both go by the same hash. */
// flags: -pthread
// expect-sql: SELECT waiter, signaller, SUM(wait_count) FROM signals WHERE kind = 'condition'
//     GROUP BY 1, 2 => awaits|gives|1
// expect-sql: SELECT waiter, signaller, SUM(wait_count) FROM signals WHERE kind = 'thread' AND
//     waiter = 'holds_back' GROUP BY 1, 2 => holds_back|gives_and_ends|1
#include "truth.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* As many as there must be for one of each hash. */
#define CONDITIONS 65536

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[CONDITIONS], *chosen;
static atomic_int may_give;

/* lock_list_hash() of shim/waits/holders.h */
UNTRACED unsigned hash(const volatile void *address)
{
	return (unsigned)(((uintptr_t)address >> 3) * 0x9e3779b97f4a7c15ull >> 54);
}

UNTRACED pthread_cond_t *choose(pthread_t thread)
{
	for (int i = 0; i < CONDITIONS; i++)
		if (hash(&conditions[i]) == hash((void *)thread))
			return &conditions[i];
	return NULL;
}

ALONE static void gives(void)
{
	pthread_cond_signal(chosen);
}

ALONE static void *gives_and_ends(void *unused)
{
	while (!may_give)
		sched_yield();
	gives();
	return unused;
}

/* Has the mutex until the other thread is gone: who waits goes on after that. */
ALONE static void *holds_back(void *giver)
{
	pthread_mutex_lock(&mutex);
	may_give = 1;
	pthread_join(*(pthread_t *)giver, NULL);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

ALONE static void awaits(void)
{
	pthread_cond_wait(chosen, &mutex);
}

int main(void)
{
	pthread_t giver, holder;

	pthread_create(&giver, NULL, gives_and_ends, NULL);
	chosen = choose(giver);
	if (!chosen)
		return 1;
	pthread_mutex_lock(&mutex);
	pthread_create(&holder, NULL, holds_back, &giver);
	awaits();
	pthread_mutex_unlock(&mutex);
	return pthread_join(holder, NULL);
}
