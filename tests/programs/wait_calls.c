/* SPDX-License-Identifier: MIT */
/* Each call that waits, where it has to wait and where it has not, with arguments that it
 * refuses, and interrupted: results and errno are the program's output, which must be the
 * same without us. Of locks and semaphores only what waits is a node. */
// flags: -pthread
// expect-sql: SELECT group_concat(name || ' ' || calls, ', ') FROM (SELECT n.name, SUM(n.calls)
//     AS calls FROM call_paths n JOIN call_paths p ON p.path_id = n.parent_path_id WHERE n.kind
//     = 'wait' AND p.name = 'meets' GROUP BY 1 ORDER BY 1) =>
//     call_once 1, pthread_barrier_wait 1, pthread_clockjoin_np 1, pthread_cond_clockwait 1,
//     pthread_cond_timedwait 2, pthread_join 1, pthread_once 1, pthread_timedjoin_np 1,
//     pthread_tryjoin_np 1, sem_clockwait 1, sem_timedwait 2
// expect-sql: SELECT group_concat(name || ' ' || calls, ', ') FROM (SELECT n.name, SUM(n.calls)
//     AS calls FROM call_paths n JOIN call_paths p ON p.path_id = n.parent_path_id WHERE n.kind
//     = 'wait' AND p.name = 'locks' GROUP BY 1 ORDER BY 1) => mtx_lock 1,
//     mtx_timedlock 1, pthread_barrier_wait 1, pthread_mutex_clocklock 1, pthread_mutex_lock 1,
//     pthread_mutex_timedlock 2, pthread_rwlock_clockrdlock 1, pthread_rwlock_clockwrlock 1,
//     pthread_rwlock_rdlock 1, pthread_rwlock_timedrdlock 1, pthread_rwlock_timedwrlock 1
// expect-sql: SELECT group_concat(name || ' ' || calls, ', ') FROM (SELECT n.name, SUM(n.calls)
//     AS calls FROM call_paths n JOIN call_paths p ON p.path_id = n.parent_path_id WHERE n.kind
//     = 'wait' AND p.name = 'polls' GROUP BY 1 ORDER BY 1) => epoll_pwait 2, epoll_pwait2 1,
//     epoll_wait 2, getaddrinfo 1, poll 3, ppoll 1, pselect 1, select 2, sigtimedwait 1,
//     sigwait 1, sigwaitinfo 1, wait 1, wait3 1, wait4 1, waitid 1, waitpid 1
// expect-sql: SELECT COUNT(*) FROM call_paths n JOIN call_paths p ON p.path_id =
//     n.parent_path_id WHERE n.kind = 'wait' AND p.name = 'free_locks' => 0
// expect-sql: SELECT n.name, n.calls FROM call_paths n JOIN call_paths p ON p.path_id =
//     n.parent_path_id WHERE n.kind = 'wait' AND p.name = 'interrupted' ORDER BY 1 =>
//     epoll_wait|1; poll|1; select|1; sem_wait|1; sigsuspend|1; thrd_sleep|1
#include "asleep.h"
#include "truth.h"
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t nested = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag c11_once = ONCE_FLAG_INIT;
static mtx_t c11;
static sem_t semaphore;
static volatile int is_in_once, sum;
static int token;
static struct pollfd *volatile opaque_pointer = (struct pollfd *)8;

UNTRACED void say(const char *what, int result)
{
	printf("%s: %d %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

UNTRACED struct timespec soon(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	now.tv_nsec += 5000000;
	if (now.tv_nsec >= 1000000000) {
		now.tv_nsec -= 1000000000;
		now.tv_sec++;
	}
	return now;
}

static const struct timespec bad_time = {0, 2000000000}, moment = {0, 2000000};

/* Until the first thread waits for it. How often this looks is nobody's business: no call
 * of libc is counted for it (tests/host/preloads.py). */
ALONE static void init(void)
{
	is_in_once++;
	while (!is_asleep(getpid()))
		syscall(SYS_nanosleep, &moment, NULL);
	sum++;
}

/* Nothing waits here. */
ALONE static void free_locks(void)
{
	struct timespec until = soon(CLOCK_REALTIME);

	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	say("lock", pthread_mutex_lock(&mutex));
	say("trylock taken", pthread_mutex_trylock(&mutex));
	say("unlock", pthread_mutex_unlock(&mutex));
	say("checked", pthread_mutex_lock(&checked));
	say("checked again", pthread_mutex_lock(&checked));
	say("checked trylock", pthread_mutex_trylock(&checked));
	say("checked timed", pthread_mutex_timedlock(&checked, &until));
	say("checked unlock", pthread_mutex_unlock(&checked));
	say("checked unlock again", pthread_mutex_unlock(&checked));
	say("nested", pthread_mutex_lock(&nested));
	say("nested again", pthread_mutex_lock(&nested));
	say("nested timed", pthread_mutex_timedlock(&nested, &until));
	for (int i = 0; i < 4; i++)
		say("nested unlock", pthread_mutex_unlock(&nested));
	say("timed free, bad time", pthread_mutex_timedlock(&mutex, &bad_time));
	say("unlock", pthread_mutex_unlock(&mutex));
	say("bad clock", pthread_mutex_clocklock(&mutex, 77, &until));
	say("rdlock", pthread_rwlock_rdlock(&shared));
	say("rdlock", pthread_rwlock_rdlock(&shared));
	say("trywrlock", pthread_rwlock_trywrlock(&shared));
	pthread_rwlock_unlock(&shared);
	pthread_rwlock_unlock(&shared);
	say("spin", pthread_spin_lock(&spin));
	say("spin try", pthread_spin_trylock(&spin));
	pthread_spin_unlock(&spin);
	say("mtx", mtx_lock(&c11));
	say("mtx try", mtx_trylock(&c11));
	mtx_unlock(&c11);
	sem_post(&semaphore);
	say("sem", sem_wait(&semaphore));
}

ALONE static void *holds(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&shared);
	mtx_lock(&c11);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	usleep(200000);
	pthread_mutex_unlock(&mutex);
	usleep(200000);
	mtx_unlock(&c11);
	usleep(200000);
	pthread_rwlock_unlock(&shared);
	return &token;
}

/* Another thread has them all. */
ALONE static void locks(void)
{
	struct timespec until = soon(CLOCK_REALTIME), until_monotonic;

	say("timed", pthread_mutex_timedlock(&mutex, &until));
	say("bad time", pthread_mutex_timedlock(&mutex, &bad_time));
	until_monotonic = soon(CLOCK_MONOTONIC);
	say("clock", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until_monotonic));
	until = soon(CLOCK_REALTIME);
	say("mtx", mtx_timedlock(&c11, &until));
	say("timedrd", pthread_rwlock_timedrdlock(&shared, &until));
	say("timedwr", pthread_rwlock_timedwrlock(&shared, &until));
	say("clockrd",
	    pthread_rwlock_clockrdlock(&shared, CLOCK_MONOTONIC, &until_monotonic));
	say("clockwr",
	    pthread_rwlock_clockwrlock(&shared, CLOCK_MONOTONIC, &until_monotonic));
	pthread_barrier_wait(&barrier);
	say("lock", pthread_mutex_lock(&mutex));
	pthread_mutex_unlock(&mutex);
	say("mtx", mtx_lock(&c11));
	mtx_unlock(&c11);
	say("rd", pthread_rwlock_rdlock(&shared));
	pthread_rwlock_unlock(&shared);
	say("wr", pthread_rwlock_wrlock(&shared));
	say("own rd", pthread_rwlock_tryrdlock(&shared));
	pthread_rwlock_unlock(&shared);
}

ALONE static void *initialises(void *c11_too)
{
	if (c11_too)
		call_once(&c11_once, init);
	else
		pthread_once(&once, init);
	return NULL;
}

ALONE static void meets(void)
{
	struct timespec until = soon(CLOCK_REALTIME);
	pthread_t thread;
	void *result = NULL;

	sem_wait(&semaphore);
	say("sem timed", sem_timedwait(&semaphore, &until));
	say("sem bad time", sem_timedwait(&semaphore, &bad_time));
	until = soon(CLOCK_MONOTONIC);
	say("sem clock", sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until));
	pthread_mutex_lock(&nested);
	until = soon(CLOCK_REALTIME);
	say("cond timed", pthread_cond_timedwait(&condition, &nested, &until));
	say("cond bad time", pthread_cond_timedwait(&condition, &nested, &bad_time));
	until = soon(CLOCK_MONOTONIC);
	say("cond clock",
	    pthread_cond_clockwait(&condition, &nested, CLOCK_MONOTONIC, &until));
	pthread_mutex_unlock(&nested);
	pthread_create(&thread, NULL, holds, NULL);
	pthread_barrier_wait(&barrier);
	say("tryjoin", pthread_tryjoin_np(thread, &result));
	until = soon(CLOCK_REALTIME);
	say("timedjoin", pthread_timedjoin_np(thread, &result, &until));
	until = soon(CLOCK_MONOTONIC);
	say("clockjoin", pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &until));
	locks();
	say("join", pthread_join(thread, &result));
	say("result", result == &token);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, initialises, i ? &token : NULL);
		while (is_in_once == i)
			;
		if (i)
			call_once(&c11_once, init);
		else
			say("once", pthread_once(&once, init));
		say("twice", pthread_once(&once, init));
		pthread_detach(thread);
	}
}

ALONE static void polls(void)
{
	int ends[2], poller = epoll_create1(0), status;
	struct pollfd file = {.events = POLLIN};
	struct epoll_event event = {.events = EPOLLIN};
	struct timeval brief = {0, 1000};
	struct addrinfo *found = NULL;
	struct rusage usage;
	siginfo_t info;
	sigset_t set;
	fd_set files;

	(void)!pipe(ends);
	file.fd = ends[0];
	say("poll", poll(&file, 1, 1));
	say("poll bad", poll(opaque_pointer, 1, 0));
	say("ppoll", ppoll(&file, 1, &moment, NULL));
	say("poll nothing", poll(NULL, 0, 1));
	FD_ZERO(&files);
	FD_SET(ends[0], &files);
	say("select", select(ends[0] + 1, &files, NULL, NULL, &brief));
	say("select bad", select(-1, NULL, NULL, NULL, NULL));
	say("pselect", pselect(0, NULL, NULL, NULL, &moment, NULL));
	say("epoll", epoll_wait(poller, &event, 1, 1));
	say("epoll bad", epoll_wait(-1, &event, 1, 1));
	say("epoll_p", epoll_pwait(poller, &event, 1, 1, NULL));
	say("epoll_p bad", epoll_pwait(poller, &event, 0, 1, NULL));
	say("epoll_p2", epoll_pwait2(poller, &event, 1, &moment, NULL));
	say("wait", wait(&status));
	say("waitpid", waitpid(-1, &status, WNOHANG));
	say("wait3", wait3(&status, 0, &usage));
	say("wait4", wait4(-1, &status, 0, &usage));
	say("waitid", waitid(P_ALL, 0, &info, WEXITED));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	say("sigtimedwait", sigtimedwait(&set, &info, &moment));
	raise(SIGUSR1);
	say("sigwait", sigwait(&set, &status));
	raise(SIGUSR1);
	say("sigwaitinfo", sigwaitinfo(&set, &info));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	say("getaddrinfo",
	    getaddrinfo("127.0.0.1", "80",
			&(struct addrinfo){.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV},
			&found) == 0);
	freeaddrinfo(found);
	close(ends[0]);
	close(ends[1]);
	close(poller);
}

static void on_alarm(int signal)
{
	(void)signal;
	sum++;
}

UNTRACED void alarm_soon(void)
{
	const struct itimerval brief = {.it_value = {0, 20000}};

	setitimer(ITIMER_REAL, &brief, NULL);
}

/* No handler of these restarts a call. */
ALONE static void interrupted(void)
{
	struct timespec left = {0, 0}, hour = {3600, 0};
	struct epoll_event event;
	int poller = epoll_create1(0);
	sigset_t none;

	sigemptyset(&none);
	alarm_soon();
	say("sem", sem_wait(&semaphore));
	alarm_soon();
	say("poll", poll(NULL, 0, -1));
	alarm_soon();
	say("select", select(0, NULL, NULL, NULL, NULL));
	alarm_soon();
	say("epoll", epoll_wait(poller, &event, 1, -1));
	alarm_soon();
	say("sigsuspend", sigsuspend(&none));
	alarm_soon();
	printf("thrd_sleep: %d %d\n", thrd_sleep(&hour, &left), left.tv_sec >= 3590);
	close(poller);
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &action, NULL);
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	mtx_init(&c11, mtx_timed);
	sem_init(&semaphore, 0, 0);
	free_locks();
	sem_post(&semaphore);
	meets();
	free_locks();
	polls();
	interrupted();
	printf("%d\n", sum);
	return 0;
}
