/* SPDX-License-Identifier: MIT */
/* What this is:  what waits cost. usage: waits lock|pipe|open|processes|threads COUNT
 *                lock: an uncontended lock and unlock; pipe: a byte written, and read;
 *                open: a file opened by its path, and closed; processes, threads: two of
 *                these wake each other on one processor, in calls that no wrapper sees,
 *                and call a function in between: one switch a round */
#include "loop.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct batches batches;
static int ends[2];
static int *whose;
static unsigned long count;

ALONE static void leaf(void)
{
	__asm__ volatile("");
}

UNTRACED void round_of(char what)
{
	char byte = 0;

	if (what == 'l') {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	} else if (what == 'p') {
		(void)!write(ends[1], &byte, 1);
		(void)!read(ends[0], &byte, 1);
	} else {
		close(open("/usr/bin/env", O_RDONLY | O_CLOEXEC));
	}
}

UNTRACED void rounds(char what)
{
	for (; count >= BATCH_ROUNDS; count -= BATCH_ROUNDS) {
		double start = seconds_of(CLOCK_MONOTONIC);

		for (unsigned long i = 0; i < BATCH_ROUNDS; i++)
			round_of(what);
		add_batch(&batches, seconds_of(CLOCK_MONOTONIC) - start);
	}
	print_middle(&batches);
}

/* Half of the rounds are this one's. */
UNTRACED void turns(int own)
{
	for (unsigned long i = 0; i < count / 2; i++) {
		while (__atomic_load_n(whose, __ATOMIC_ACQUIRE) != own)
			syscall(SYS_futex, whose, FUTEX_WAIT, !own, NULL, NULL, 0);
		leaf();
		__atomic_store_n(whose, !own, __ATOMIC_RELEASE);
		syscall(SYS_futex, whose, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

static void *second(void *unused)
{
	turns(1);
	return unused;
}

static int take_turns(int in_threads)
{
	double start = seconds_of(CLOCK_MONOTONIC);
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	whose = mmap(NULL, sizeof(*whose), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sched_setaffinity(0, sizeof(one), &one) || whose == MAP_FAILED)
		return 1;
	if (in_threads && pthread_create(&thread, NULL, second, NULL))
		return 1;
	if (!in_threads && fork() == 0) {
		turns(1);
		_exit(0);
	}
	turns(0);
	print_cost(seconds_of(CLOCK_MONOTONIC) - start, count);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3 || pipe(ends))
		return 2;
	count = strtoul(argv[2], NULL, 10);
	if (argv[1][0] == 'p' && argv[1][1] == 'r')
		return take_turns(0);
	if (argv[1][0] == 't')
		return take_turns(1);
	rounds(argv[1][0]);
	return 0;
}
