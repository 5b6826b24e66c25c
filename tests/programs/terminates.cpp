/* SPDX-License-Identifier: MIT */
/* An exception that meets noexcept: std::terminate() calls a handler, which calls and
 * allocates and ends the program with exit(). Destructors of static objects run then. */
// variants: lto
// exit: 3
// tree-without: ^_GLOBAL__|^__static_init|^__cxx_global|^__tcf|^std::|^__cxa|^__clang_call
// tolerate: repaired_frames
// expect-trust: orphan_exits => 0
// expect-sql: SELECT name, calls FROM functions WHERE name IN ('thrower', 'guarded',
//     'middle', 'on_terminate', 'Object::~Object', 'at_exit') ORDER BY name =>
//     Object::~Object|1; at_exit|1; guarded|1; middle|1; on_terminate|1;
//     thrower|3
// expect-sql: SELECT SUM(alloc_count) FROM allocation_sites WHERE name = 'on_terminate'
//     => 1
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE name = 'main' AND depth = 1 => 1
#include "truth.h"
#include <cstdlib>
#include <exception>

static volatile int sum;

struct Object {
	ALONE ~Object();
};

Object::~Object()
{
	sum = sum + 1;
}

static Object object;

ALONE static void at_exit()
{
	sum = sum + 1;
}

ALONE static void thrower(int levels)
{
	if (levels == 0)
		throw 1;
	thrower(levels - 1);
	sum = sum + 1;
}

ALONE static void guarded() noexcept
{
	thrower(2);
	sum = sum + 1;
}

ALONE static void middle()
{
	guarded();
	sum = sum + 1;
}

ALONE static void on_terminate()
{
	void *block = malloc(opaque(77));

	keep(block);
	exit(3);
}

int main()
{
	std::set_terminate(on_terminate);
	atexit(at_exit);
	try {
		middle();
	} catch (int) {
		return 1; /* must never get here */
	}
	return 0;
}
