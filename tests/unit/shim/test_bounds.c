/* SPDX-License-Identifier: MIT */
/*
 * What this is:  tests of what an address says about the stack around it.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "shim/memory/shadow.h"
#include "shim/stacks/bounds.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

static void assert_extent(struct extent found, uintptr_t low, uintptr_t high)
{
	assert_int_equal(found.low, low);
	assert_int_equal(found.high, high);
}

TEST(knows_the_main_stack)
{
	struct extent found;
	int here;

	assert_int_equal(bounds_main_stack((uintptr_t)&here, &found), 1);
	assert_in_range((uintptr_t)&here, found.low, found.high - 1);
	assert_int_equal(bounds_main_stack(found.low - 1, &found), 0);
	assert_int_equal(bounds_main_stack((uintptr_t)state & ~0xffffffffful, &found), 0);
}

TEST(knows_blocks_of_the_heap)
{
	const uintptr_t block = 0x555500010000, large = 0x7f0000000010;
	const uint64_t large_size = 300ull << 20;
	struct extent found;

	shadow_put(block, 1, 65536, 0);
	assert_int_equal(bounds_block(block, &found), 1);
	assert_extent(found, block, block + 65536);
	assert_int_equal(bounds_block(block + 65535, &found), 1);
	assert_int_equal(bounds_block(block + 65536, &found), 0);
	assert_int_equal(bounds_block(block - 1, &found), 0);
	shadow_take(block);
	assert_int_equal(bounds_block(block + 100, &found), 0);
	/* its second word is a size, which must not be taken for a block */
	shadow_put(large, 1, large_size, 0);
	assert_int_equal(bounds_block(large + 40, &found), 1);
	assert_extent(found, large, large + large_size);
	shadow_take(large);
	assert_int_equal(bounds_block(0x10008, &found), 0); /* below all regions */
}

TEST(keeps_declared_stacks_apart)
{
	struct extent found;
	uint64_t mask;

	assert_true(process_lock(&mask));
	bounds_declare(0x2000, 0x3000);
	bounds_declare(0x1000, 0x2000);
	bounds_declare(0x5000, 0x6000);
	process_unlock(&mask);
	assert_int_equal(bounds_declared(0x2000, &found), 1);
	assert_extent(found, 0x2000, 0x3000);
	assert_int_equal(bounds_declared(0x1fff, &found), 1);
	assert_extent(found, 0x1000, 0x2000);
	assert_int_equal(bounds_declared(0x3000, &found), 0);
	assert_true(process_lock(&mask));
	bounds_declare(0x1800, 0x5800); /* replaces all three */
	process_unlock(&mask);
	assert_int_equal(bounds_declared(0x1000, &found), 0);
	assert_int_equal(bounds_declared(0x5800, &found), 0);
	assert_int_equal(bounds_declared(0x3000, &found), 1);
	assert_extent(found, 0x1800, 0x5800);
}

/* A mapping with a neighbour on either side that it cannot be merged with. */
static uintptr_t make_mapping(void)
{
	char *start = mmap(NULL, 5 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(start, MAP_FAILED);
	assert_int_equal(mprotect(start + 4096, 3 * 4096, PROT_READ | PROT_WRITE), 0);
	return (uintptr_t)start + 4096;
}

TEST(asks_for_mappings)
{
	uintptr_t start = make_mapping();
	struct extent found;

	assert_int_equal(bounds_mapping(start + 5000, &found), 1);
	assert_extent(found, start, start + 3 * 4096);
	munmap((void *)start, 3 * 4096);
	assert_int_equal(bounds_mapping(start + 5000, &found), 0);
}

/* Before Linux 6.11 there is no ioctl to ask with. */
static void *list_mappings(void *unused)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	(void)unused;
	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
	asks_for_mappings(NULL);
	return NULL;
}

TEST(lists_mappings_on_older_kernels)
{
	pthread_t thread; /* the filter is this thread's only */

	assert_int_equal(pthread_create(&thread, NULL, list_mappings, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static int begin(void **state)
{
	(void)state;
	fixture_begin(1000);
	return 0;
}

static int end(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

TEST_GROUP(begin, end)
