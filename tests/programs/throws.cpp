/* SPDX-License-Identifier: MIT */
/* Exceptions in their forms: caught, rethrown, nested in a handler, out of constructors,
 * arrays, destructors and function-try-blocks, through code without hooks and the C
 * library, with destructors that call, allocate, throw and catch while others unwind.
 * gcc calls the exit hooks while it unwinds and needs no repair, clang does not call
 * them: each function that an exception leaves is one repaired frame. The tree is the
 * same. */
// variants: lto
// expect-trust[gcc]: repaired_frames => 0
// expect-trust[clang]: repaired_frames => 2300
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       guarded 50
//         Guard::Guard 50
//         thrower*3 50
//           thrower 50 +50
//         Guard::~Guard 50
//           allocate 50 +50
//         handler 50
//         after 50
//       guards_on_the_way 50
//         guards_below 50
//           Guard::Guard 50
//           guards_below 50
//             Guard::Guard 50
//             guards_below 50
//               Guard::Guard 50
//               thrower 50
//                 thrower 50 +50
//               Guard::~Guard 50
//                 allocate 50 +50
//             Guard::~Guard 50
//               allocate 50 +50
//           Guard::~Guard 50
//             allocate 50 +50
//         handler 50
//         after 50
//       rethrows 50
//         rethrown_twice 50
//           rethrower 50
//             thrower 50
//               thrower 50 +50
//             handler 50
//           handler 50
//         handler 50
//         after 50
//       throws_in_handler 50
//         thrower 100 +50
//           thrower 50
//             thrower 50 +50
//         handler 50
//         after 100
//       constructors 50
//         construct_whole 50
//           Whole::Whole 50
//             Member::Member 150
//               thrower 50 +50
//             Member::~Member 100
//         handler 200
//         construct_tried 100
//           Tried::Tried 100
//             Member::Member 100
//               thrower 50 +50
//             thrower 50 +50
//             Member::~Member 50
//             handler 100
//         construct_array 50
//           Member::Member 150
//             thrower 50 +50
//           Member::~Member 100
//         after 50
//       destructors 50
//         drop_bomb 50
//           Guard::Guard 50
//           after 50
//           Bomb::~Bomb 50
//             thrower 50 +50
//           Guard::~Guard 50
//             allocate 50 +50
//         handler 50
//         after 50
//       nested_unwinding 50
//         be_busy 50
//           thrower 50 +50
//           Busy::~Busy 50
//             thrower 50
//               thrower 50 +50
//             handler 50
//             after 50
//         handler 50
//         after 50
//       through_others 50
//         thrower 100
//           thrower 100 +100
//         handler 100
//         after 200
//         compare 50
//           thrower 50 +50
//       function_try 50
//         thrower 50
//           thrower 50 +50
//         handler 50
//       after 50
#include "truth.h"
#include <cstdlib>

static volatile int sum;

ALONE static void after()
{
	sum = sum + 1;
}

/* Its allocation is the exception's. */
ALONE static void thrower(int levels)
{
	if (levels == 0)
		throw 7;
	thrower(levels - 1);
	sum = sum + 1;
}

ALONE static void handler(int number)
{
	sum = sum + number;
}

ALONE static void allocate()
{
	void *block = malloc(opaque(32));

	keep(block);
	free(block);
}

struct Guard {
	ALONE Guard();
	ALONE ~Guard();
};

Guard::Guard()
{
	sum = sum + 1;
}

/* Calls and allocates, in the midst of unwinding too. */
Guard::~Guard()
{
	allocate();
}

ALONE static void guarded()
{
	try {
		Guard guard;

		thrower(3);
	} catch (int number) {
		handler(number);
	}
	after();
}

ALONE static void guards_below(int levels)
{
	Guard guard;

	if (levels == 0)
		thrower(1);
	else
		guards_below(levels - 1);
}

ALONE static void guards_on_the_way()
{
	try {
		guards_below(2);
	} catch (...) {
		handler(1);
	}
	after();
}

ALONE static void rethrower()
{
	try {
		thrower(1);
	} catch (int number) {
		handler(number);
		throw;
	}
	after();
}

ALONE static void rethrown_twice()
{
	try {
		rethrower();
	} catch (...) {
		handler(2);
		throw;
	}
}

ALONE static void rethrows()
{
	try {
		rethrown_twice();
	} catch (int number) {
		handler(number);
	}
	after();
}

ALONE static void throws_in_handler()
{
	try {
		thrower(0);
	} catch (int) {
		try {
			thrower(2);
		} catch (int number) {
			handler(number);
		}
		after();
	}
	after();
}

struct Member {
	ALONE Member(int number);
	ALONE ~Member();
};

Member::Member(int number)
{
	if (number == 2)
		thrower(0);
}

Member::~Member()
{
	sum = sum + 1;
}

struct Whole {
	Member first{0}, second{1}, third{2};
	ALONE Whole();
};

Whole::Whole()
{
	after();
}

struct Tried {
	Member member;
	ALONE Tried(int number);
};

Tried::Tried(int number)
try : member(number) {
	thrower(0);
} catch (int) {
	handler(3); /* and throws it again, as the language wants */
}

ALONE static void construct_whole()
{
	Whole whole;

	after();
}

ALONE static void construct_tried(int number)
{
	Tried tried(number);

	after();
}

ALONE static void construct_array()
{
	Member members[4] = {0, 1, 2, 3};

	keep(members);
}

ALONE static void constructors()
{
	try {
		construct_whole();
	} catch (int) {
		handler(1);
	}
	try {
		construct_tried(1);
	} catch (int) {
		handler(1);
	}
	try {
		construct_tried(2);
	} catch (int) {
		handler(1);
	}
	try {
		construct_array();
	} catch (int) {
		handler(1);
	}
	after();
}

struct Bomb {
	ALONE ~Bomb() noexcept(false);
};

Bomb::~Bomb() noexcept(false)
{
	thrower(0);
}

ALONE static void drop_bomb()
{
	Guard guard;
	Bomb bomb;

	after();
}

ALONE static void destructors()
{
	try {
		drop_bomb();
	} catch (int number) {
		handler(number);
	}
	after();
}

/* While one exception unwinds, its destructor throws and catches another. */
struct Busy {
	ALONE ~Busy();
};

Busy::~Busy()
{
	try {
		thrower(1);
	} catch (int number) {
		handler(number);
	}
	after();
}

ALONE static void be_busy()
{
	Busy busy;

	thrower(0);
}

ALONE static void nested_unwinding()
{
	try {
		be_busy();
	} catch (int number) {
		handler(number);
	}
	after();
}

ALONE static int compare(const void *, const void *)
{
	thrower(0);
	return 0;
}

__attribute__((noinline, no_instrument_function)) static void silent(int levels)
{
	if (levels == 0)
		thrower(1);
	else
		silent(levels - 1);
	sum = sum + 1;
}

/* Caught without a hook in sight, two hookless frames below. */
__attribute__((noinline, no_instrument_function)) static void silent_catcher()
{
	try {
		silent(1);
	} catch (int) {
		sum = sum + 1;
	}
	after();
}

ALONE static void through_others()
{
	int numbers[3] = {3, 2, 1};

	try {
		silent(3);
	} catch (int number) {
		handler(number);
	}
	after();
	try {
		qsort(numbers, 3, sizeof(*numbers), compare);
	} catch (int number) {
		handler(number);
	}
	after();
	silent_catcher();
	after();
}

ALONE static void function_try()
try {
	thrower(1);
} catch (int number) {
	handler(number);
}

int main()
{
	for (int i = 0; i < 50; i++) {
		guarded();
		guards_on_the_way();
		rethrows();
		throws_in_handler();
		constructors();
		destructors();
		nested_unwinding();
		through_others();
		function_try();
		after();
	}
	return 0;
}
