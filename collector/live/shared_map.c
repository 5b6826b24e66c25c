/* SPDX-License-Identifier: MIT */
/*
 * The list of mappings and the handler of SIGBUS. Runs on: one thread; the handler in
 * any. Must not make a call in the handler that is no system call.
 */
#include "collector/live/shared_map.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>

struct mapping {
	char *start; /* NULL: free; stored with release when size is there */
	uint64_t size;
	int is_lost;
};

static struct mapping mappings[SHARED_MAP_LIMIT];
static struct sigaction before;

static struct mapping *find(const void *address)
{
	for (size_t i = 0; i < SHARED_MAP_LIMIT; i++) {
		const char *start = __atomic_load_n(&mappings[i].start, __ATOMIC_ACQUIRE);

		if (start && (const char *)address >= start &&
		    (uint64_t)((const char *)address - start) < mappings[i].size)
			return &mappings[i];
	}
	return NULL;
}

/* Another's SIGBUS comes again when the instruction does, and finds the other handler. */
static void handle(int number, siginfo_t *info, void *context)
{
	struct mapping *mapping = find(info->si_addr);
	int saved = errno;

	(void)context;
	if (!mapping || mmap(mapping->start, mapping->size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			     0) == MAP_FAILED)
		sigaction(number, &before, NULL);
	else
		__atomic_store_n(&mapping->is_lost, 1, __ATOMIC_RELEASE);
	errno = saved;
}

static void install(void)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	struct sigaction now;
	sigset_t set;

	if (sigaction(SIGBUS, NULL, &now) < 0 ||
	    (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle))
		return;
	/* blocked, as a parent may have left it, it would kill */
	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	sigemptyset(&action.sa_mask);
	before = now;
	sigaction(SIGBUS, &action, NULL);
}

void *shared_map(int fd, uint64_t offset, uint64_t size, int protection)
{
	struct mapping *mapping = NULL;
	void *start;

	install();
	for (size_t i = 0; i < SHARED_MAP_LIMIT && !mapping; i++)
		if (!mappings[i].start)
			mapping = &mappings[i];
	if (!mapping || !size || size > PTRDIFF_MAX || offset > INT64_MAX)
		return NULL;
	start = mmap(NULL, size, protection, MAP_SHARED, fd, (off_t)offset);
	if (start == MAP_FAILED)
		return NULL;
	mapping->size = size;
	mapping->is_lost = 0;
	__atomic_store_n(&mapping->start, start, __ATOMIC_RELEASE);
	return start;
}

void shared_unmap(const void *start)
{
	struct mapping *mapping = start ? find(start) : NULL;

	if (!mapping)
		return;
	__atomic_store_n(&mapping->start, NULL, __ATOMIC_RELEASE);
	munmap((void *)start, mapping->size);
}

int shared_map_is_lost(const void *start)
{
	const struct mapping *mapping = start ? find(start) : NULL;

	return mapping && __atomic_load_n(&mapping->is_lost, __ATOMIC_ACQUIRE);
}
