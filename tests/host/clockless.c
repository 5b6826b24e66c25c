/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that forbids itself to read the processor's clock (rdtsc), and
 *                with it the clock_gettime() of libc; in strict mode also all system calls
 *                but read, write and exit. Who reads the clock then gets SIGSEGV, who makes
 *                another call SIGKILL.
 *                usage: clockless HOW; HOW: prctl or syscall, after which there are a
 *                thread, a child and a sleep; strict-prctl, strict-seccomp or
 *                strict-syscall, in the first thread; thread-prctl, thread-seccomp or
 *                thread-syscall, in another one, and the first goes on
 * Must not:      print anything that differs from run to run.
 * See also:      sandboxes.py, which knows how often each function is called
 */
#include "growing.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNHOOKED __attribute__((no_instrument_function))

static const char *way;

ALONE static void known(void)
{
	sum++;
}

ALONE static void known_block(size_t size)
{
	void *memory = malloc(opaque(size));

	keep(memory);
	free(memory);
}

ALONE static void work(void)
{
	for (int i = 0; i < 1000; i++)
		known();
	for (int i = 0; i < 100; i++)
		known_block(24);
}

ALONE static void sleep_well(void)
{
	struct timespec duration = {.tv_nsec = 50000000};

	nanosleep(&duration, NULL);
}

UNHOOKED static long set_tsc(int mode)
{
	return !strcmp(way, "syscall") ? syscall(SYS_prctl, PR_SET_TSC, mode, 0, 0, 0)
				       : prctl(PR_SET_TSC, mode);
}

UNHOOKED static long enter_strict_mode(void)
{
	if (!strcmp(way, "seccomp"))
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	if (!strcmp(way, "syscall"))
		return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

/* exit_group() is forbidden. */
UNHOOKED static void *be_strict(void *argument)
{
	static const char said[] = "strict\n";
	long result;

	work();
	if (enter_strict_mode() == 0) {
		work();
		result = write(STDOUT_FILENO, said, sizeof(said) - 1);
		syscall(SYS_exit, result == sizeof(said) - 1 ? 0 : 1);
	}
	return argument;
}

UNHOOKED static void *thread_work(void *argument)
{
	work();
	return argument;
}

UNHOOKED static void run_thread(void *(*function)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, NULL) == 0)
		pthread_join(thread, NULL);
}

UNHOOKED static void run_child(void)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		work();
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("child: %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
}

UNHOOKED static void go_without(void)
{
	printf("set: %ld\n", set_tsc(PR_TSC_SIGSEGV));
	work();
	grow(5, 3);
	sleep_well();
	run_thread(thread_work);
	run_child();
	printf("refused: %ld\n", set_tsc(99));
	work();
	printf("set back: %ld\n", set_tsc(PR_TSC_ENABLE));
	work();
}

int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";

	way = strchr(how, '-') ? strchr(how, '-') + 1 : how;
	work();
	if (!strncmp(how, "strict-", 7)) {
		be_strict(NULL);
		return 1;
	}
	if (!strncmp(how, "thread-", 7)) {
		run_thread(be_strict);
		work();
	} else {
		go_without();
	}
	puts("done");
	return 0;
}
