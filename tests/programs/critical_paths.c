/* SPDX-License-Identifier: MIT */
/* Programs whose critical path is known, for critical.py: the first argument says which,
 * the second one how many percent of its work the function does that holds the run. */
#include "asleep.h"
#include "truth.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int percent = 100;
static volatile unsigned long sink;

UNTRACED long cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

UNTRACED void compute(long us)
{
	long end = cpu_us() + us;

	while (cpu_us() < end)
		for (int i = 0; i < 1000; i++)
			sink += (unsigned long)i;
}

UNTRACED pthread_t start(void *(*work)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, argument) != 0)
		abort();
	return thread;
}

/* Two workers, and the one that is joined last is the slower one. */
ALONE static void *work_short(void *unused)
{
	compute(60000);
	return unused;
}

ALONE static void *work_long(void *unused)
{
	compute(4000L * percent);
	return unused;
}

static void joins(void)
{
	pthread_t first = start(work_short, NULL), last = start(work_long, NULL);

	pthread_join(first, NULL);
	pthread_join(last, NULL);
}

/* Three threads that want a lock more often than it is free. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ALONE static void hold_it(void)
{
	usleep(80u * (unsigned)percent);
}

ALONE static void think(void)
{
	usleep(2000);
}

ALONE static void *queue_up(void *unused)
{
	for (int i = 0; i < 15; i++) {
		pthread_mutex_lock(&lock);
		hold_it();
		pthread_mutex_unlock(&lock);
		think();
	}
	return unused;
}

static void convoy(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		threads[i] = start(queue_up, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* Three stages with a box between each two, which holds one item. */
struct box {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int is_full;
};

static struct box boxes[2] = {
	{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
	{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
};

ALONE static void turn(struct box *box, int to)
{
	pthread_mutex_lock(&box->lock);
	while (box->is_full == to)
		pthread_cond_wait(&box->changed, &box->lock);
	box->is_full = to;
	pthread_cond_signal(&box->changed);
	pthread_mutex_unlock(&box->lock);
}

#define ITEMS 25

ALONE static void *read_items(void *unused)
{
	for (int i = 0; i < ITEMS; i++) {
		compute(500);
		turn(&boxes[0], 1);
	}
	return unused;
}

ALONE static void pack(void)
{
	compute(100L * percent);
}

ALONE static void *pack_items(void *unused)
{
	for (int i = 0; i < ITEMS; i++) {
		turn(&boxes[0], 0);
		pack();
		turn(&boxes[1], 1);
	}
	return unused;
}

ALONE static void *write_items(void *unused)
{
	for (int i = 0; i < ITEMS; i++) {
		turn(&boxes[1], 0);
		usleep(500);
	}
	return unused;
}

static void pipeline(void)
{
	pthread_t threads[] = {start(read_items, NULL), start(pack_items, NULL),
			       start(write_items, NULL)};

	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* Two that take turns. */
static sem_t turns[2];

ALONE static void serve(void)
{
	usleep(4000);
}

ALONE static void give_back(void)
{
	usleep(120u * (unsigned)percent);
}

ALONE static void *play(void *unused)
{
	for (int i = 0; i < 25; i++) {
		sem_wait(&turns[1]);
		give_back();
		sem_post(&turns[0]);
	}
	return unused;
}

static void take_turns(void)
{
	pthread_t thread;

	sem_init(&turns[0], 0, 0);
	sem_init(&turns[1], 0, 0);
	thread = start(play, NULL);
	for (int i = 0; i < 25; i++) {
		serve();
		sem_post(&turns[1]);
		sem_wait(&turns[0]);
	}
	pthread_join(thread, NULL);
}

/* One sleeps for longer than the other computes, however long that takes. */
static int is_prepared;

ALONE static void *fetch(void *unused)
{
	while (!__atomic_load_n(&is_prepared, __ATOMIC_ACQUIRE))
		usleep(1000u * (unsigned)percent);
	usleep(4000u * (unsigned)percent);
	return unused;
}

ALONE static void prepare(void)
{
	compute(60000);
}

static void sleeper(void)
{
	pthread_t thread = start(fetch, NULL);

	prepare();
	__atomic_store_n(&is_prepared, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

/* Goes on when the other thread sleeps. */
static int listener_tid;

UNTRACED void let_it_sleep(void)
{
	while (!is_asleep(__atomic_load_n(&listener_tid, __ATOMIC_ACQUIRE)))
		usleep(1000);
}

/* One has nothing to do but to wait for a signal, until it is told to end. */
ALONE static void *listen(void *set)
{
	int number;

	__atomic_store_n(&listener_tid, gettid(), __ATOMIC_RELEASE);
	sigwait(set, &number);
	return set;
}

ALONE static void work_alone(void)
{
	compute(4000L * percent);
}

static sigset_t block(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return set;
}

static void told_to_end(void)
{
	sigset_t set = block(SIGUSR1);
	pthread_t thread = start(listen, &set);

	let_it_sleep();
	work_alone();
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
}

/* One does all the work, once the signal comes that the process gets. */
ALONE static void *work_when_told(void *set)
{
	__atomic_store_n(&listener_tid, gettid(), __ATOMIC_RELEASE);
	sigwaitinfo(set, NULL);
	work_alone();
	return set;
}

static void told_to_begin(void)
{
	sigset_t set = block(SIGUSR2);
	pthread_t thread = start(work_when_told, &set);

	let_it_sleep();
	prepare();
	kill(getpid(), SIGUSR2);
	pthread_join(thread, NULL);
}

/* One works and ends the process; main waits for another one, that never ends. */
ALONE static void *end_all(void *unused)
{
	let_it_sleep();
	work_alone();
	exit(0);
	return unused;
}

static void ended_by_other(void)
{
	sigset_t set = block(SIGUSR1);
	pthread_t listener = start(listen, &set);

	start(end_all, NULL);
	pthread_join(listener, NULL);
}

/* One has nothing to do but to wait for what is written to it. */
static int pipes[2];

ALONE static void *listen_to_pipe(void *unused)
{
	char byte;

	__atomic_store_n(&listener_tid, gettid(), __ATOMIC_RELEASE);
	if (read(pipes[0], &byte, 1) != 1)
		abort();
	return unused;
}

static void written_to(void)
{
	pthread_t thread;

	if (pipe(pipes) != 0)
		abort();
	thread = start(listen_to_pipe, NULL);
	let_it_sleep();
	work_alone();
	if (write(pipes[1], "", 1) != 1)
		abort();
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		void (*run)(void);
	} programs[] = {{"joins", joins},
			{"convoy", convoy},
			{"pipeline", pipeline},
			{"take_turns", take_turns},
			{"sleeper", sleeper},
			{"told_to_end", told_to_end},
			{"told_to_begin", told_to_begin},
			{"ended_by_other", ended_by_other},
			{"written_to", written_to},
			{"alone", prepare}};

	if (argc > 2)
		percent = atoi(argv[2]);
	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(argv[1], programs[i].name) == 0)
			programs[i].run();
	return 0;
}
