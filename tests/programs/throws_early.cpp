/* SPDX-License-Identifier: MIT */
/* Exceptions before main() and after it: thrown and caught in the initialisers of static
 * objects and of function-local ones (which try again), in their destructors, and in an
 * atexit() handler. */
// variants: lto
// tree-without: ^_GLOBAL__|^__static_init|^__cxx_global|^__tcf|^std::
// expect-trust[gcc]: repaired_frames => 0
// expect-trust[clang]: repaired_frames => 13
// expect-trust: orphan_exits => 0
// expect-tree:
//     Object::Object 1
//       thrower 1
//         thrower 1 +1
//       after 1
//     main 1
//       Object::Object 1
//         thrower 1
//           thrower 1 +1
//         after 1
//       try_local 3
//         local 3
//           Stubborn::Stubborn 3 +2
//       after 1
//       Object::~Object 1
//         thrower 1 +1
//         after 1
//     at_exit 1
//       thrower*2 1
//         thrower 1 +1
//       after 1
//     Object::~Object 1
//       thrower 1 +1
//       after 1
//     Stubborn::~Stubborn 1
#include "truth.h"
#include <cstdlib>

static volatile int sum;

ALONE static void after()
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

struct Object {
	ALONE Object();
	ALONE ~Object();
};

Object::Object()
{
	try {
		thrower(1);
	} catch (int) {
		after();
	}
}

Object::~Object()
{
	try {
		thrower(0);
	} catch (int) {
		after();
	}
}

static Object object;

/* Throws twice before it lets itself be made. */
struct Stubborn {
	ALONE Stubborn();
	ALONE ~Stubborn();
	int tries;
};

Stubborn::Stubborn()
{
	static int tries;

	if (++tries < 3)
		throw tries;
	this->tries = tries;
}

Stubborn::~Stubborn()
{
	sum = sum + 1;
}

ALONE static int local()
{
	static Stubborn stubborn;

	return stubborn.tries;
}

ALONE static bool try_local()
{
	try {
		return local() == 3;
	} catch (int) {
		return false;
	}
}

ALONE static void at_exit()
{
	try {
		thrower(2);
	} catch (int) {
		after();
	}
}

int main()
{
	Object automatic;

	atexit(at_exit);
	while (!try_local())
		;
	after();
	return 0;
}
