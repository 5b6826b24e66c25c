/* SPDX-License-Identifier: MIT */
/* Computes as long as it makes the kernel work, in turns; both by the thread's clock. */
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#define PAGES 512u
#define PAGE_BYTES 4096u
#define TURNS 400u

static volatile unsigned sink;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

__attribute__((noinline)) static void touch(volatile char *memory)
{
	for (unsigned i = 0; i < PAGES; i++)
		memory[i * PAGE_BYTES] = 1;
}

__attribute__((noinline)) static void compute(void)
{
	for (unsigned i = 0; i < 20000; i++)
		sink += i;
}

int main(void)
{
	char *memory = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < TURNS; i++) {
		int64_t begin = now_ns(), took, end;

		touch(memory);
		end = now_ns();
		took = end - begin;
		while (now_ns() - end < took)
			compute();
		madvise(memory, PAGES * PAGE_BYTES, MADV_DONTNEED);
	}
	return 0;
}
