/* SPDX-License-Identifier: MIT */
/* Another library that is preloaded with us: it interposes malloc and fork in the usual
 * way, and tells at the end whether it was asked. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long mallocs, frees, forks;

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

void *malloc(size_t size)
{
	static void *(*real)(size_t);

	if (!real)
		real = (void *(*)(size_t))(size_t)next("malloc");
	mallocs++;
	return real(size);
}

void free(void *block)
{
	static void (*real)(void *);

	if (!real)
		real = (void (*)(void *))(size_t)next("free");
	frees++;
	real(block);
}

pid_t fork(void)
{
	pid_t (*real)(void) = (pid_t(*)(void))(size_t)next("fork");

	forks++;
	return real();
}

__attribute__((destructor)) static void tell(void)
{
	fprintf(stdout, "other: malloc %d, free %d, fork %ld\n", mallocs > 3000,
		frees > 1000, forks);
}
