/* SPDX-License-Identifier: MIT */
/* A library is unloaded, and another one comes to its addresses, which differs in nothing
 * but the size of a frame: what was learned of the first one's frames must be gone, or its
 * stacks could not be walked. */
// plugin: step_narrow.c
// plugin: step_wide.c
// expect-sql: SELECT p.name, SUM(c.alloc_count) FROM call_paths c JOIN call_paths p ON
//     p.path_id = c.parent_path_id WHERE c.name = 'allocate' GROUP BY p.name =>
//     step [step_narrow.so]|200; step [step_wide.so]|200
// expect-trust: partial_stacks => 0
#include "beside.h"
#include "truth.h"
#include <stdlib.h>

__attribute__((no_instrument_function)) ALONE static void allocate(void)
{
	void *block = malloc(opaque(10));

	keep(block);
	free(block);
}

ALONE static int load_and_step(const char *name)
{
	void *library = load_beside(name);
	void (*step)(void (*function)(void));

	if (!library)
		return 1;
	step = (void (*)(void (*)(void)))(uintptr_t)dlsym(library, "step");
	for (int i = 0; i < 10; i++)
		step(allocate);
	return dlclose(library);
}

int main(void)
{
	for (int i = 0; i < 20; i++)
		if (load_and_step("step_narrow.so") || load_and_step("step_wide.so"))
			return 1;
	return 0;
}
