/* SPDX-License-Identifier: MIT */
/* Waits for a signal, and who sent it: to a thread by its handle or its id, to the
 * process, with a value; a time limit and a timer, which are nobody. */
// flags: -pthread -D_GNU_SOURCE
// expect-sql: SELECT name, kind, waiter, holder, COUNT(*) FROM stalls WHERE kind = 'signal'
//     GROUP BY 1, 2, 3, 4 ORDER BY 3 => [a signal]|signal|await_handle|call_handle|1;
//     [a signal]|signal|await_id|call_id|1; [a signal]|signal|await_nobody||1;
//     [a signal]|signal|await_process|call_process|1;
//     [a signal]|signal|await_timer||1; [a signal]|signal|await_value|call_value|1;
//     [a signal]|signal|pause_once|call_pause|1; [a signal]|signal|suspend|call_handle|1
// the sender is the other thread
// expect-sql: SELECT COUNT(*) FROM stalls s JOIN threads t ON t.lane_id = s.holder_lane_id
//     WHERE s.lane_id <> s.holder_lane_id AND s.kind = 'signal' => 6
// expect-sql: SELECT waiter, signaller, named_by, SUM(wait_count) FROM signals WHERE
//     waiter = 'await_process' GROUP BY 1, 2, 3 => await_process|call_process|kind|1
// expect-sql: SELECT COUNT(*) FROM locks WHERE name = '[a signal]' => 0
#include "asleep.h"
#include "truth.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum stage { START, HANDLE, ID, PROCESS, VALUE, SUSPEND, PAUSE, END };

static int stage, waiter_tid;
static pthread_t waiter;

UNTRACED void reach(int next)
{
	__atomic_store_n(&stage, next, __ATOMIC_SEQ_CST);
}

UNTRACED int has_reached(int wanted)
{
	return __atomic_load_n(&stage, __ATOMIC_SEQ_CST) >= wanted;
}

/* It has nothing to sleep for but what is awaited. */
UNTRACED void meet(int wanted)
{
	while (!has_reached(wanted) || !is_asleep(waiter_tid))
		usleep(1000);
}

UNTRACED sigset_t only(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

ALONE static void await_handle(void)
{
	sigset_t set = only(SIGUSR1);
	int number;

	if (sigwait(&set, &number) != 0 || number != SIGUSR1)
		abort();
}

ALONE static void await_id(void)
{
	sigset_t set = only(SIGUSR1);

	if (sigwaitinfo(&set, NULL) != SIGUSR1)
		abort();
}

ALONE static void await_process(void)
{
	sigset_t set = only(SIGUSR2);
	siginfo_t info;

	if (sigwaitinfo(&set, &info) != SIGUSR2 || info.si_pid != getpid())
		abort();
}

ALONE static void await_value(void)
{
	sigset_t set = only(SIGRTMIN);
	siginfo_t info;

	if (sigtimedwait(&set, &info, &(struct timespec){1000, 0}) != SIGRTMIN ||
	    info.si_value.sival_int != 7)
		abort();
}

ALONE static void await_nobody(void)
{
	sigset_t set = only(SIGUSR1);

	if (sigtimedwait(&set, NULL, &(struct timespec){0, 2000000}) != -1)
		abort();
}

ALONE static void await_timer(void)
{
	const struct itimerval soon = {.it_value = {0, 20000}};
	sigset_t set = only(SIGALRM);
	int number;

	setitimer(ITIMER_REAL, &soon, NULL);
	sigwait(&set, &number);
}

UNTRACED void handle(int number)
{
	(void)number;
}

ALONE static void suspend(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGHUP);
	sigsuspend(&mask);
}

ALONE static void pause_once(void)
{
	sigset_t set = only(SIGHUP);

	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	pause();
}

static void *wait_for_all(void *unused)
{
	waiter_tid = gettid();
	await_nobody();
	await_timer();
	reach(HANDLE);
	await_handle();
	reach(ID);
	await_id();
	reach(PROCESS);
	await_process();
	reach(VALUE);
	await_value();
	reach(SUSPEND);
	suspend();
	reach(PAUSE);
	pause_once();
	reach(END);
	return unused;
}

ALONE static void call_handle(int number)
{
	if (pthread_kill(waiter, 0) != 0 || pthread_kill(waiter, number) != 0)
		abort();
}

ALONE static void call_id(void)
{
	if (tgkill(getpid(), waiter_tid, SIGUSR1) != 0)
		abort();
}

ALONE static void call_process(void)
{
	if (kill(getpid(), SIGUSR2) != 0)
		abort();
}

ALONE static void call_value(void)
{
	if (pthread_sigqueue(waiter, SIGRTMIN, (union sigval){.sival_int = 7}) != 0)
		abort();
}

ALONE static void call_pause(void)
{
	pthread_kill(waiter, SIGHUP);
}

int main(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	signal(SIGHUP, handle);
	if (pthread_create(&waiter, NULL, wait_for_all, NULL) != 0)
		abort();
	meet(HANDLE);
	call_handle(SIGUSR1);
	meet(ID);
	call_id();
	meet(PROCESS);
	call_process();
	meet(VALUE);
	call_value();
	meet(SUSPEND);
	call_handle(SIGHUP);
	meet(PAUSE);
	call_pause();
	pthread_join(waiter, NULL);
	return 0;
}
