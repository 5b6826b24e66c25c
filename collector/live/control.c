/* SPDX-License-Identifier: MIT */
/*
 * Maps the files that collector and program share; creates and changes `control`.
 */
#include "collector/live/control.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/read/rundir.h"

/* Simultaneous mappings. */
#define SHARED_MAP_LIMIT 8

struct mapping {
	char *start; /* NULL: free; stored with release after size */
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

/* Replaces a lost mapping of ours. Any other SIGBUS repeats with its instruction and
 * finds the former handler. */
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
	/* if it stayed blocked, as a parent may have left it, it would kill */
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

/*
 * Publishes answers. Must not count one before it has pages: else a process would meet a
 * full disk in the middle of a call.
 */

static int map(struct control *control, uint64_t token)
{
	struct stat status;

	if (fstat(control->fd, &status) < 0)
		return -errno;
	if (status.st_size < (off_t)sizeof(*control->shared))
		return -EINVAL;
	control->shared = shared_map(control->fd, 0, sizeof(*control->shared),
				     PROT_READ | PROT_WRITE);
	if (!control->shared)
		return -ENOMEM;
	if (control->shared->magic == SEGMENT_MAGIC_CONTROL &&
	    control->shared->token == token)
		return 0;
	shared_unmap(control->shared);
	return -EINVAL;
}

int control_open(struct control *ret, int directory_fd, uint64_t token)
{
	int result;

	*ret = (struct control){
		.fd = rundir_open_file(directory_fd, SEGMENT_CONTROL_NAME, O_RDWR)};
	if (ret->fd < 0)
		return ret->fd;
	result = map(ret, token);
	if (result < 0)
		close(ret->fd);
	return result;
}

void control_close(struct control *control)
{
	shared_unmap(control->shared);
	close(control->fd);
}

static int reserve(const struct control *control, const void *start, size_t size)
{
	off_t offset = (const char *)start - (const char *)control->shared;

	return -posix_fallocate(control->fd, offset, (off_t)size);
}

int control_answer(struct control *control, const struct segment_answer *object,
		   const struct segment_fitting *fittings, uint32_t count)
{
	struct segment_answer *answer = &control->shared->answers[control->answer_count];
	struct segment_fitting *place =
		&control->shared->fittings[control->fitting_count];
	int result;

	if (control->answer_count == SEGMENT_ANSWER_LIMIT ||
	    count > SEGMENT_FITTING_LIMIT - control->fitting_count)
		return -E2BIG;
	result = reserve(control, answer, sizeof(*answer));
	if (result == 0 && count)
		result = reserve(control, place, count * sizeof(*place));
	if (result < 0)
		return result;
	*answer = *object;
	answer->first = control->fitting_count;
	answer->count = count;
	if (count)
		memcpy(place, fittings, count * sizeof(*place));
	control->answer_count++;
	control->fitting_count += count;
	/* release: whoever sees the count sees the answer */
	__atomic_store_n(&control->shared->answer_count, control->answer_count,
			 __ATOMIC_RELEASE);
	return shared_map_is_lost(control->shared) ? -EIO : 0;
}
