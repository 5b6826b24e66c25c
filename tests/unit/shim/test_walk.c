/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of walks from an allocation outwards: they must find what the
 *                compiler's own unwinder finds, and kept stacks must have the nodes that
 *                walks lead to. Compiled with frame pointers and without.
 */
#include <execinfo.h>
#include <sys/mman.h>

#include "shim/stacks/fiber.h"
#include "shim/stacks/stack.h"
#include "shim/stacks/kept.h"
#include "shim/stacks/walk.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

#define PATH_LIMIT 500000u
#define LIMIT ((int)LANE_STACK_LIMIT)
#define STACK_BYTES (256u << 10)
#define OWN_FRAMES 4

static void *look_and_allocate(size_t size);
#define WALKS_ALLOCATE look_and_allocate
#include "tests/programs/walks_code.h"

static int look_count, kept_count, reused_count, interrupted_count;

/* What a signal interrupts has no call: its address is given like one that a call returns
 * to. */
static int is_same_place(uint64_t address, const void *found)
{
	int is_interrupted = address == (uint64_t)found + 1;

	interrupted_count += is_interrupted;
	return is_interrupted || address == (uint64_t)found;
}

static void compare_frames(const struct walk *walk, void *const *found, int found_count)
{
	int count = walk->inner_count + walk->known_count;

	assert_int_equal(walk->end, WALK_OUTERMOST);
	assert_int_equal(count, found_count);
	for (int i = 0; i < count; i++)
		assert_true(is_same_place(lane_self->known[count - 1 - i].return_address,
					  found[i]));
}

/* As the hook of malloc would. */
__attribute__((noinline)) static void *look_and_allocate(size_t size)
{
	const struct stack_caller *caller = __builtin_frame_address(0);
	uintptr_t stack_pointer = (uintptr_t)(caller + 1);
	struct lane_context *context = lane_self;
	void *found[LIMIT + OWN_FRAMES];
	int found_count = backtrace(found, LIMIT + OWN_FRAMES), first = 0;
	uint32_t kept, node;
	struct walk walk;

	if (!fiber_is_current(context, stack_pointer))
		fiber_settle(context, stack_pointer);
	kept = kept_find(context, LANE_ROOT, 0, caller);
	walk = walk_stack(context, LANE_ROOT, caller, 0, LIMIT);
	reused_count += walk.known_count > 0;
	node = graft_walk(context, &walk, caller, 0);
	/* AddressSanitizer's backtrace() has a frame of its own */
	while (first < found_count && (uint64_t)found[first] != caller->return_address)
		first++;
	compare_frames(&walk, found + first, found_count - first);
	if (kept)
		assert_int_equal(kept, node);
	kept_count += kept != 0;
	look_count++;
	return malloc(size);
}

static int begin(void **state)
{
	stack_t alternate = {.ss_size = STACK_BYTES};

	(void)state;
	fixture_begin(PATH_LIMIT);
	alternate.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(alternate.ss_sp, MAP_FAILED);
	assert_int_equal(sigaltstack(&alternate, NULL), 0);
	walks_handle();
	return 0;
}

static int end(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

TEST(finds_all_frames)
{
	for (unsigned i = 0; i < 40; i++) {
		unsigned seed = i / 2; /* each twice, the same */

		wander(&seed, 7);
	}
	for (int depth = 20; depth < 150; depth += 30) {
		dive(depth);
		dive(depth);
	}
	assert_true(meet());
	sort();
	assert_true(look_count > 5000 && kept_count > 500 && reused_count > 1000);
}

/* Of handlers on both stacks. */
TEST(walks_out_of_handlers)
{
	interrupted_count = 0;
	for (int i = 0; i < 10; i++)
		interrupt();
	assert_true(interrupted_count > 200);
}

TEST_GROUP(begin, end)
