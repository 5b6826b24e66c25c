/* SPDX-License-Identifier: MIT */
/*
 * What this is:  tells how long main() took, of a program without hooks, too: preloaded,
 * it puts itself between the loader and main(). Writes "wall_ns cpu_ns" into the file
 * that FIDELITY_CLOCK names.
 *
 * From the call of main() to its return or, when it calls exit(), to the last function
 * given to atexit(): that is what a recorder sees of main(), and neither the loader nor
 * the start of an interpreter belongs to it. _exit() leaves no file.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
			   void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static main_function *program_main;
static long long wall_start_ns, cpu_start_ns;

static long long now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void write_times(long long wall_ns, long long cpu_ns)
{
	const char *path = getenv("FIDELITY_CLOCK");
	char text[64];
	int length = snprintf(text, sizeof(text), "%lld %lld\n", wall_ns, cpu_ns);
	int descriptor =
		path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;

	if (descriptor < 0 || write(descriptor, text, (size_t)length) != length)
		fputs("main_clock: FIDELITY_CLOCK cannot be written\n", stderr);
	if (descriptor >= 0)
		close(descriptor);
}

static void stop(void)
{
	/* Both clocks before anything else happens. */
	long long wall_ns = now_ns(CLOCK_MONOTONIC) - wall_start_ns;
	long long cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_start_ns;

	if (!program_main)
		return;
	program_main = NULL;
	write_times(wall_ns, cpu_ns);
}

static int timed_main(int argc, char **argv, char **environment)
{
	int status;

	atexit(stop);
	cpu_start_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	wall_start_ns = now_ns(CLOCK_MONOTONIC);
	status = program_main(argc, argv, environment);
	stop();
	return status;
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	start_function *next = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");

	program_main = main;
	return next(timed_main, argc, argv, init, fini, rtld_fini, stack_end);
}
