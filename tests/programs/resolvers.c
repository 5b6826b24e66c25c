/* SPDX-License-Identifier: MIT */
/* Instrumented resolvers of indirect functions. The program's own run while the loader
 * relocates it, before the recorder has started, and must do no harm; a library's is
 * called by the loader when the program first calls the function, and is recorded. */
// variants: lto
// plugin: resolvers_library.c link
// flags: -Wl,-z,lazy
// tolerate: late_events
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       chosen 100
//       caller 100
//         library_resolve 1
//           library_choose 1
//         library_chosen 100
#include "truth.h"

static volatile unsigned sum;

ALONE static void chosen(void)
{
	sum++;
}

typedef void function(void);

ALONE static function *choose(void)
{
	return chosen;
}

__attribute__((used)) ALONE static function *resolve(void)
{
	return choose();
}

void library_indirect(void);

ALONE static void caller(void)
{
	library_indirect();
	sum++;
}

void indirect(void) __attribute__((ifunc("resolve")));

int main(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		indirect();
		caller();
	}
	return 0;
}
