/* SPDX-License-Identifier: MIT */
/* Mutexes of all kinds, free, taken, given up by threads and by processes that have died,
 * shared with a child, and across a fork with handlers: what each call answers is the
 * output. */
// flags: -pthread
// tolerate: memory
// expect-sql: SELECT p.name, SUM(n.calls) FROM call_paths n JOIN call_paths p ON p.path_id =
//     n.parent_path_id WHERE n.name = 'pthread_mutex_lock' GROUP BY 1 ORDER BY 1 =>
//     child_takes|4; waits_for|20
#include "truth.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t *mutex;
static pthread_barrier_t barrier;
static volatile int sum;

UNTRACED const char *name(int result)
{
	return result ? strerrorname_np(result) : "0";
}

ALONE static void make(int type, int protocol, int robust, int shared)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setrobust(&attributes, robust);
	pthread_mutexattr_setpshared(&attributes, shared);
	memset(mutex, 0, sizeof(*mutex));
	printf("init %s\n", name(pthread_mutex_init(mutex, &attributes)));
	pthread_mutexattr_destroy(&attributes);
}

ALONE static void *holds(void *unused)
{
	pthread_mutex_lock(mutex);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	usleep(30000);
	pthread_mutex_unlock(mutex);
	return unused;
}

ALONE static void *dies(void *unused)
{
	pthread_mutex_lock(mutex);
	return unused;
}

/* It is taken, until that has been tried: a node, and nothing else. */
ALONE static void waits_for(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, holds, NULL);
	pthread_barrier_wait(&barrier);
	printf("try %s", name(pthread_mutex_trylock(mutex)));
	pthread_barrier_wait(&barrier);
	printf(" lock %s", name(pthread_mutex_lock(mutex)));
	printf(" unlock %s\n", name(pthread_mutex_unlock(mutex)));
	pthread_join(thread, NULL);
}

ALONE static void by_itself(int type)
{
	printf("lock %s", name(pthread_mutex_lock(mutex)));
	if (type != PTHREAD_MUTEX_NORMAL) {
		printf(" again %s", name(pthread_mutex_lock(mutex)));
		printf(" try %s", name(pthread_mutex_trylock(mutex)));
	}
	for (int i = 0; i < (type == PTHREAD_MUTEX_RECURSIVE ? 3 : 1); i++)
		printf(" unlock %s", name(pthread_mutex_unlock(mutex)));
	if (type != PTHREAD_MUTEX_NORMAL)
		printf(" unlock %s", name(pthread_mutex_unlock(mutex)));
	printf("\n");
}

ALONE static void dead_owner(int is_made_consistent)
{
	pthread_t thread;

	pthread_create(&thread, NULL, dies, NULL);
	pthread_join(thread, NULL);
	printf("lock %s", name(pthread_mutex_lock(mutex)));
	if (is_made_consistent)
		printf(" consistent %s", name(pthread_mutex_consistent(mutex)));
	printf(" unlock %s", name(pthread_mutex_unlock(mutex)));
	printf(" lock %s\n", name(pthread_mutex_lock(mutex)));
	if (is_made_consistent)
		pthread_mutex_unlock(mutex);
}

ALONE static void child_takes(void)
{
	printf("child: lock %s", name(pthread_mutex_lock(mutex)));
	printf(" unlock %s\n", name(pthread_mutex_unlock(mutex)));
	fflush(stdout);
	_exit(0);
}

ALONE static void child_dies(void)
{
	pthread_mutex_lock(mutex);
	_exit(0);
}

ALONE static void with_child(int robust)
{
	pid_t child;

	fflush(stdout);
	pthread_mutex_lock(mutex);
	child = fork();
	if (child == 0)
		child_takes();
	usleep(50000);
	pthread_mutex_unlock(mutex);
	waitpid(child, NULL, 0);
	if (!robust)
		return;
	child = fork();
	if (child == 0)
		child_dies();
	waitpid(child, NULL, 0);
	printf("of the dead: %s", name(pthread_mutex_lock(mutex)));
	printf(" consistent %s", name(pthread_mutex_consistent(mutex)));
	printf(" unlock %s\n", name(pthread_mutex_unlock(mutex)));
}

static void before(void)
{
	pthread_mutex_lock(mutex);
}

static void after(void)
{
	pthread_mutex_unlock(mutex);
	sum++;
}

int main(void)
{
	static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
				    PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
	pid_t child;

	mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	pthread_barrier_init(&barrier, NULL, 2);
	for (int type = 0; type < 4; type++) {
		for (int way = 0; way < 5; way++) {
			int robust = way == 2 || way == 3,
			    inherits = way == 1 || way == 3;

			make(types[type],
			     inherits ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE, robust,
			     way == 4);
			if (types[type] != PTHREAD_MUTEX_ADAPTIVE_NP)
				by_itself(types[type]);
			waits_for();
			if (robust) {
				dead_owner(1);
				dead_owner(0);
			}
		}
	}
	for (int way = 0; way < 4; way++) {
		make(PTHREAD_MUTEX_NORMAL,
		     way & 1 ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE, way >> 1, 1);
		with_child(way >> 1);
	}
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, 0, 0);
	pthread_atfork(before, after, after);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		printf("child: try %s\n", name(pthread_mutex_trylock(mutex)));
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
