/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that forbids itself system calls in mid-run, and then makes
 *                everything that lets a recording grow: new paths, new sites, depth, heap,
 *                coroutines, and, where the list allows it, a thread, a child, an exec.
 *                usage: sandboxed LIST WAY; LIST: strict, daemon (those of a sandboxed
 *                daemon), deny (all but a few, which are answered with an error), wrong
 *                (a filter that the kernel refuses), or threads (which does nothing else);
 *                WAY: prctl or syscall
 * Must not:      print anything that differs from run to run. A forbidden call kills.
 * See also:      sandboxes.py, which knows how often each function is called
 */
#include "filters.h"
#include "growing.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define UNHOOKED __attribute__((no_instrument_function))

static ucontext_t main_context, coroutine_context;
static char coroutine_stack[64 << 10];

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

ALONE static void later(void)
{
	sum++;
}

ALONE static void later_block(size_t size)
{
	void *memory = malloc(opaque(size));

	keep(memory);
	free(memory);
}

ALONE static void deep(unsigned levels)
{
	if (levels)
		deep(levels - 1);
	sum++;
}

ALONE static void in_coroutine(void)
{
	later();
	swapcontext(&coroutine_context, &main_context);
	later();
}

static void heap(void)
{
	for (size_t i = 0; i < 200; i++) {
		void *block = malloc(100000 + i * 1000);

		keep(block);
		if (i % 2)
			free(block);
	}
}

UNHOOKED static int sandbox(const char *list, int by_syscall)
{
	static const int strict[] = {
		SYS_read, SYS_write,  SYS_exit,	 SYS_exit_group,   SYS_brk,
		SYS_mmap, SYS_munmap, SYS_futex, SYS_rt_sigreturn, SYS_rt_sigprocmask};
	static const int daemon[] = {SYS_brk,
				     SYS_clock_gettime,
				     SYS_close,
				     SYS_exit,
				     SYS_exit_group,
				     SYS_futex,
				     SYS_geteuid,
				     SYS_getpgid,
				     SYS_getpid,
				     SYS_getrandom,
				     SYS_gettimeofday,
				     SYS_getuid,
				     SYS_madvise,
				     SYS_mmap,
				     SYS_mprotect,
				     SYS_mremap,
				     SYS_munmap,
				     SYS_nanosleep,
				     SYS_poll,
				     SYS_read,
				     SYS_rt_sigprocmask,
				     SYS_select,
				     SYS_shutdown,
				     SYS_write,
				     SYS_rt_sigreturn,
				     SYS_getppid,
				     SYS_clone,
				     SYS_clone3,
				     SYS_set_robust_list,
				     SYS_rseq,
				     SYS_wait4,
				     SYS_execve};
	static const int denied[] = {SYS_ptrace, SYS_kexec_load, SYS_setns, SYS_mount};
	const int bad[] = {-1};

	if (!strcmp(list, "strict")) /* swapcontext sets the mask: not from here */
		return filters_install(strict, sizeof(strict) / sizeof(*strict),
				       SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW,
				       by_syscall);
	if (!strcmp(list, "daemon"))
		return filters_install(daemon, sizeof(daemon) / sizeof(*daemon),
				       SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW,
				       by_syscall);
	if (!strcmp(list, "deny"))
		return filters_install(denied, sizeof(denied) / sizeof(*denied),
				       SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM,
				       by_syscall);
	if (by_syscall)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0xfff0, bad);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (void *)8);
}

ALONE static void *thread_work(void *argument)
{
	for (int i = 0; i < 100; i++)
		known();
	known_block(20);
	return argument;
}

static void run_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_work, NULL))
		exit(1);
	pthread_join(thread, NULL);
}

enum { FILTERS = 8 };

static pthread_barrier_t all_are_there;

/* For all threads, what the recorder's growth would be killed for; every other one is
 * refused. */
ALONE static void *filter_all(void *number)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};
	long flags = (long)number % 2 ? 0xfff0 : SECCOMP_FILTER_FLAG_TSYNC;
	long result;

	for (int i = 0; i < 100; i++)
		known();
	pthread_barrier_wait(&all_are_there);
	result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	for (int i = 0; i < 100; i++)
		known();
	deep(3000);
	return (void *)(long)(result == 0);
}

static int filter_from_threads(void)
{
	pthread_t threads[2 * FILTERS];
	void *is_installed;
	long count = 0;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	pthread_barrier_init(&all_are_there, NULL, 2 * FILTERS);
	for (long i = 0; i < 2 * FILTERS; i++)
		if (pthread_create(&threads[i], NULL, filter_all, (void *)i))
			return 1;
	for (int i = 0; i < 2 * FILTERS; i++) {
		pthread_join(threads[i], &is_installed);
		count += (long)is_installed;
	}
	printf("filters: %ld\ndone\n", count);
	return 5;
}

static void run_child(const char *program)
{
	int pid = fork(), status = 0;

	if (pid == 0) {
		for (int i = 0; i < 50; i++)
			known();
		if (program)
			execl(program, program, NULL);
		_exit(3);
	}
	if (waitpid(pid, &status, 0) != pid)
		status = -1;
	printf("child: %x\n", (unsigned)status);
}

int main(int argc, char **argv)
{
	volatile int by_syscall, result; /* kept over getcontext */

	if (argc == 1) { /* what the child executes */
		known();
		return 4;
	}
	if (!strcmp(argv[1], "threads"))
		return filter_from_threads();
	by_syscall = argc > 2 && !strcmp(argv[2], "syscall");
	for (int i = 0; i < 1000; i++) {
		known();
		known_block(100);
	}
	run_thread();
	getcontext(&coroutine_context);
	printf("begins\n");
	fflush(stdout); /* the first output asks for the kind of file */
	result = sandbox(argv[1], by_syscall);
	printf("sandbox: %d %d\n", result, result < 0 ? errno : 0);
	for (int i = 0; i < 1000; i++) {
		known();
		known_block(100);
	}
	for (int i = 0; i < 10; i++)
		later_block(50);
	for (unsigned i = 0; i < 8000; i++)
		grow(i, 13);
	deep(5000);
	heap();
	coroutine_context.uc_stack.ss_sp = coroutine_stack;
	coroutine_context.uc_stack.ss_size = sizeof(coroutine_stack);
	coroutine_context.uc_link = &main_context;
	makecontext(&coroutine_context, in_coroutine, 0);
	swapcontext(&main_context, &coroutine_context);
	later();
	swapcontext(&main_context, &coroutine_context);
	fflush(stdout);
	if (strcmp(argv[1], "strict") != 0) {
		run_thread();
		run_child(NULL);
		/* the loader needs calls that the daemon's list does not have */
		if (strcmp(argv[1], "daemon") != 0) {
			run_child(argv[0]);
			printf("system: %x\n", (unsigned)system(argv[0]));
		}
	}
	printf("done\n");
	return 5;
}
