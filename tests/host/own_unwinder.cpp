/* SPDX-License-Identifier: MIT */
/* Uses libunwind itself, catches exceptions, and allocates meanwhile. Linked before or
 * without libgcc's unwinder, libunwind carries the exceptions, too. */
#define UNW_LOCAL_ONLY
#include "truth.h"
#include <cstdio>
#include <cstdlib>
#include <libunwind.h>
#include <stdexcept>
#include <unwind.h>

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *, void *argument)
{
	++*static_cast<int *>(argument);
	return _URC_NO_REASON;
}

ALONE static int depth(int more)
{
	int found = 0, gnu = 0;

	if (more > 0) {
		found = depth(more - 1);
		keep(&found);
		return found;
	}
	unw_context_t context;
	unw_cursor_t cursor;
	free(malloc(opaque(100)));
	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	while (unw_step(&cursor) > 0)
		found++;
	_Unwind_Backtrace(count_frame, &gnu);
	return found >= 20 && gnu >= 20 ? 20 : 0;
}

ALONE static void fail(int more)
{
	void *block = malloc(opaque(50));

	keep(block);
	free(block);
	if (more == 0)
		throw std::runtime_error("thrown");
	fail(more - 1);
	keep(&more);
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 100; i++) {
		try {
			fail(i % 10);
		} catch (const std::exception &) {
			caught++;
		}
	}
	std::printf("depth %d, caught %d\n", depth(20), caught);
	return 0;
}
