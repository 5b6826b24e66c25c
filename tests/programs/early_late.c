/* SPDX-License-Identifier: MIT */
/* Hooks before any constructor of ours could run and after any destructor: preinit_array,
 * constructors and destructors of every priority here and in a library, old-style _init
 * and _fini of a library, and an atexit() handler. All
 * are counted, with their allocations. */
// variants: lto
// plugin: early_late_library.c link -Wl,-init=library_old_start -Wl,-fini=library_old_end
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-tree:
//     before_all 1
//       leaf 1 +1
//     library_constructor 1
//       library_leaf 1 +1
//     library_old_start 1
//       library_leaf 1 +1
//     first_constructor 1
//       leaf 1 +1
//     last_constructor 1
//       leaf 1 +1
//     main 1
//       library_call 1
//         library_leaf 1 +1
//     at_exit 1
//       leaf 1 +1
//     first_destructor 1
//       leaf 1 +1
//     last_destructor 1
//       leaf 1 +1
//     library_destructor 1
//       library_leaf 1 +1
//     library_old_end 1
//       library_leaf 1 +1
#include "truth.h"
#include <stdlib.h>

void library_call(void);

ALONE static void leaf(void)
{
	void *block = malloc(opaque(60));

	keep(block);
	free(block);
}

ALONE static void before_all(void)
{
	leaf();
}

__attribute__((section(".preinit_array"),
	       used)) static void (*const preinit)(void) = before_all;

__attribute__((constructor(101))) ALONE static void first_constructor(void)
{
	leaf();
}

__attribute__((constructor)) ALONE static void last_constructor(void)
{
	leaf();
}

__attribute__((destructor)) ALONE static void first_destructor(void)
{
	leaf();
}

__attribute__((destructor(101))) ALONE static void last_destructor(void)
{
	leaf();
}

ALONE static void at_exit(void)
{
	leaf();
}

int main(void)
{
	atexit(at_exit);
	library_call();
	return 0;
}
