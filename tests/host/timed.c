/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that computes until a timer samples it, and then does what the
 *                signal of such a timer could spoil.
 *                usage: timed CONDITION; CONDITION: waited: a thread waits for all
 *                signals; read: and reads them from a descriptor; masked: all are blocked,
 *                and none is pending; reset: all get their default; calls: calls that
 *                block do not end early; made: coroutines on stacks of 8 KiB; switched: the
 *                same by hand; tight: a signal stack that is too small for any handler;
 *                cancelled: threads are; executed: another image while a signal is
 *                pending; spawned: children by all ways; filtered: a filter kills who
 *                returns from a handler. With BRIEF in the environment it computes less
 * Must not:      print anything that differs from run to run.
 * See also:      timers.py
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "filters.h"

#define ALONE __attribute__((noinline, noclone))
#define UNHOOKED __attribute__((no_instrument_function))
#define STACK_BYTES 8192

extern char **environ;

static volatile uint64_t kept;

ALONE static void step(void)
{
	uint64_t value = kept | 1;

	for (int i = 0; i < 400; i++) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(value));
	}
	kept = value;
}

UNHOOKED static double computed_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns whether errno stayed as it was. */
ALONE static int work(double seconds)
{
	double end = computed_s() + (getenv("BRIEF") ? seconds / 8 : seconds);

	errno = 77;
	while (computed_s() < end)
		for (int i = 0; i < 1000; i++)
			step();
	return errno == 77;
}

static void *wait_for_all(void *number)
{
	sigset_t all;
	int got = 0;

	memset(&all, 0xff, sizeof(all));
	for (int i = 0; i < 200; i++) {
		const struct timespec none = {0, 0};

		work(0.0005);
		got = sigtimedwait(&all, NULL, &none);
		if (got > 0)
			break;
	}
	if (got <= 0)
		sigwait(&all, &got);
	*(int *)number = got;
	return NULL;
}

static void waited(void)
{
	int got = 0;
	sigset_t all;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_create(&thread, NULL, wait_for_all, &got);
	work(0.2);
	kill(getpid(), SIGUSR1);
	pthread_join(thread, NULL);
	printf("got %s\n", got == SIGUSR1 ? "SIGUSR1" : "another");
}

static void read_from_descriptor(void)
{
	struct signalfd_siginfo info;
	sigset_t all;
	int fd, count = 0, others = 0;

	memset(&all, 0xff, sizeof(all));
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	fd = signalfd(-1, &all, SFD_NONBLOCK);
	for (int i = 0; i < 300; i++) {
		work(0.001);
		if (i % 100 == 99)
			raise(SIGUSR1);
		while (read(fd, &info, sizeof(info)) == sizeof(info)) {
			count++;
			others += info.ssi_signo != SIGUSR1;
		}
	}
	close(fd);
	printf("%d signals, %d others\n", count, others);
}

static void masked(void)
{
	uint64_t pending = 0;
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < 100; i++) {
		uint64_t now = 0;

		work(0.002);
		syscall(SYS_rt_sigpending, &now, sizeof(now));
		pending |= now;
	}
	printf("pending %#llx\n", (unsigned long long)pending);
}

static void reset(void)
{
	struct sigaction usual = {.sa_handler = SIG_DFL}, now;
	int changed = 0, seen = 0;

	for (int i = 1; i < NSIG; i++) {
		seen += sigaction(i, NULL, &now) == 0 && now.sa_handler != SIG_DFL;
		changed += sigaction(i, &usual, NULL) == 0;
	}
	printf("%d signals have no handler, %d had one\n", changed, seen);
	work(0.2);
}

static void calls(void)
{
	int ends[2], epoll = epoll_create1(0), early = 0;
	struct epoll_event event;
	const struct timespec little = {0, 100000};
	char byte = 0;

	if (pipe(ends))
		exit(4);
	for (int i = 0; i < 400; i++) {
		pid_t child;

		work(0.0005);
		early += nanosleep(&little, NULL) != 0;
		early += poll(NULL, 0, 1) != 0;
		early += epoll_wait(epoll, &event, 1, 1) != 0;
		if (i % 20)
			continue;
		child = fork();
		if (child == 0) {
			nanosleep(&little, NULL);
			_exit(write(ends[1], &byte, 1) != 1);
		}
		early += read(ends[0], &byte, 1) != 1;
		early += waitpid(child, NULL, 0) != child;
	}
	printf("%d calls ended early\n", early);
}

static _Alignas(16) unsigned char stack[STACK_BYTES];
static ucontext_t outside, inside;

ALONE static void on_stack(void)
{
	work(0.3);
}

/* A handler's frame would have written to the lower half. */
static void print_depth(void)
{
	size_t untouched = 0;

	while (untouched < sizeof(stack) && stack[untouched] == 0xa5)
		untouched++;
	printf("%s\n", untouched >= STACK_BYTES / 2 ? "half of the stack is untouched"
						    : "the stack was used");
}

static void made(void)
{
	memset(stack, 0xa5, sizeof(stack));
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, on_stack, 0);
	swapcontext(&outside, &inside);
	print_depth();
}

ALONE static void switched(void)
{
	void (*function)(void) = on_stack;

	memset(stack, 0xa5, sizeof(stack));
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "leaq %1, %%rsp\n\t"
			 "call *%0\n\t"
			 "movq %%rbx, %%rsp"
			 : "+r"(function)
			 : "m"(stack[STACK_BYTES - 16])
			 : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
			   "r11", "memory", "cc");
	print_depth();
}

static void tight(void)
{
	static char small[2048];
	const stack_t signals = {.ss_sp = small, .ss_size = sizeof(small)};

	printf("%d\n", sigaltstack(&signals, NULL));
	work(0.3);
}

static void *sleep_on(void *none)
{
	work(0.05);
	for (;;)
		pause();
	return none;
}

static void cancelled(void)
{
	pthread_t threads[4];
	void *result;
	int count = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, sleep_on, NULL);
	for (int i = 0; i < 4; i++) {
		work(0.05);
		pthread_cancel(threads[i]);
		pthread_join(threads[i], &result);
		count += result == PTHREAD_CANCELED;
	}
	printf("%d threads were cancelled\n", count);
	work(0.2);
}

/* As only the kernel's own call can; the signal is pending when the image is replaced. */
static void executed(const char *path)
{
	uint64_t all = ~0ull;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	work(0.05);
	execl(path, path, "after", NULL);
}

static void after(void)
{
	uint64_t pending = 0, none = 0;

	syscall(SYS_rt_sigpending, &pending, sizeof(pending));
	printf("pending %#llx\n", (unsigned long long)pending);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
	work(0.2);
}

static void spawned(const char *path)
{
	char *arguments[] = {(char *)path, "none", NULL};
	volatile int good = 0;
	int status;
	pid_t child;

	for (volatile int i = 0; i < 20; i++) {
		work(0.01);
		if (posix_spawn(&child, path, NULL, NULL, arguments, environ) == 0)
			good += waitpid(child, &status, 0) == child && !status;
		child = vfork();
		if (child == 0) {
			execv(path, arguments);
			_exit(5);
		}
		good += waitpid(child, &status, 0) == child && !status;
		child = fork();
		if (child == 0)
			_exit(!work(0.03));
		good += waitpid(child, &status, 0) == child && !status;
	}
	printf("%d children were well\n", good);
}

static void filtered(void)
{
	static const int list[] = {SYS_rt_sigreturn, SYS_timer_create, SYS_timer_settime,
				   SYS_timer_delete, SYS_rt_sigaction};

	printf("%d\n",
	       filters_install(list, 5, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, 0));
	work(0.3);
}

int main(int argc, char **argv)
{
	const char *condition = argc > 1 ? argv[1] : "none";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(condition, "none"))
		return 0;
	printf("errno %s\n", work(0.15) ? "stays" : "changes");
	if (!strcmp(condition, "waited"))
		waited();
	else if (!strcmp(condition, "read"))
		read_from_descriptor();
	else if (!strcmp(condition, "masked"))
		masked();
	else if (!strcmp(condition, "reset"))
		reset();
	else if (!strcmp(condition, "calls"))
		calls();
	else if (!strcmp(condition, "made"))
		made();
	else if (!strcmp(condition, "switched"))
		switched();
	else if (!strcmp(condition, "tight"))
		tight();
	else if (!strcmp(condition, "cancelled"))
		cancelled();
	else if (!strcmp(condition, "executed"))
		executed(argv[0]);
	else if (!strcmp(condition, "after"))
		after();
	else if (!strcmp(condition, "spawned"))
		spawned(argv[0]);
	else if (!strcmp(condition, "filtered"))
		filtered();
	return errno == 12345;
}
