/* SPDX-License-Identifier: MIT */
/* The CPU time of each thread is that of its own clock: of threads that compute, that
 * sleep and that take turns at a lock, of the first one, and of a child. */
// flags: -pthread
// variants: once
// expect-sql: SELECT group_concat(name || CASE WHEN ABS(cpu_ns - own) <= own * 0.01 THEN '' ELSE
//     ' ' || IFNULL(cpu_ns, 'nothing') || ' not ' || own END, ',') FROM (SELECT name, cpu_ns,
//     CASE name WHEN 'first' THEN $first WHEN 'child' THEN $child WHEN 'computes' THEN $computes
//     WHEN 'sleeps' THEN $sleeps WHEN 'one' THEN $one WHEN 'two' THEN $two END AS own FROM
//     (SELECT t.cpu_ns, CASE WHEN t.tid <> p.pid THEN t.name WHEN p.parent_process_id IS NULL
//     THEN 'first' ELSE 'child' END AS name FROM threads t JOIN processes p USING (run_id,
//     process_id)) ORDER BY 1) => child,computes,first,one,sleeps,two
// expect-sql: SELECT COUNT(*) FROM threads WHERE cpu_ns + ready_ns + blocked_ns = wall_ns => 6
// expect-trust: unsplit_processes => 0
// expect-trust: switches_unseen => 0
#include "truth.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORK_NS 150000000

enum kind { FIRST, CHILD, COMPUTES, SLEEPS, ONE, TWO, KINDS };

static const char *const names[KINDS] = {"first",  "child", "computes",
					 "sleeps", "one",   "two"};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sum;
static long *own_ns; /* by kind; the child's, too */

UNTRACED long clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

ALONE static void step(void)
{
	for (unsigned i = 0; i < 1000; i++)
		sum += i;
}

ALONE static void doze(void)
{
	const struct timespec moment = {0, 100000};

	nanosleep(&moment, NULL);
}

ALONE static void work(enum kind kind)
{
	step();
	if (kind == SLEEPS)
		doze();
	if (kind != ONE && kind != TWO)
		return;
	pthread_mutex_lock(&mutex);
	step();
	pthread_mutex_unlock(&mutex);
}

/* Of a thread that is new the clock began at 0. */
ALONE static void run(enum kind kind, long start_ns)
{
	prctl(PR_SET_NAME,
	      names[kind]); /* that of a thread that ends is sure to be known */
	while (clock_ns() - start_ns < WORK_NS)
		for (int i = 0; i < (kind == SLEEPS ? 1 : 50); i++)
			work(kind);
	own_ns[kind] = clock_ns() - start_ns;
}

static void *thread_of(void *kind)
{
	run((enum kind)(intptr_t)kind, 0);
	return NULL;
}

int main(void)
{
	long start_ns = clock_ns();
	pthread_t threads[KINDS];

	own_ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (fork() == 0) {
		run(CHILD, 0);
		_exit(0);
	}
	for (intptr_t kind = COMPUTES; kind < KINDS; kind++)
		pthread_create(&threads[kind], NULL, thread_of, (void *)kind);
	run(FIRST, start_ns);
	for (int kind = COMPUTES; kind < KINDS; kind++)
		pthread_join(threads[kind], NULL);
	wait(NULL);
	own_ns[FIRST] = clock_ns() - start_ns;
	fprintf(stderr, "truth:");
	for (int kind = FIRST; kind < KINDS; kind++)
		fprintf(stderr, " %s=%ld", names[kind], own_ns[kind]);
	fprintf(stderr, "\n");
	return 0;
}
