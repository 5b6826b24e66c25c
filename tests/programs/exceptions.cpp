/* SPDX-License-Identifier: MIT */
/* Exceptions: gcc calls the exit hooks while it unwinds, clang does not; what comes after
 * the catch must hang under the catcher in both. */
// variants: lto
// tolerate: repaired_frames
// expect-sql: SELECT calls FROM functions WHERE name = 'thrower' => 1100
// expect-sql: SELECT calls FROM functions WHERE name = 'catcher' => 100
// expect-sql: SELECT calls FROM functions WHERE name = 'after_catch' => 100
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'after_catch' =>
//     catcher|100
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'handler' =>
//     catcher|100
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'finish' => main|100
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'thrower' ORDER BY
//     caller => catcher|100; thrower|1000
// expect-sql: SELECT calls, depth FROM call_paths WHERE name = 'finish' => 100|2
// expect-sql: SELECT MAX(calls) FROM functions WHERE name = 'Guard::~Guard' => 100
// expect-sql: SELECT calls FROM functions WHERE name = 'rethrower' => 50
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'after_rethrow' =>
//     main|50
// expect-sql[gcc]: SELECT SUM(unwound_count) FROM call_paths => 0
// expect-sql[clang]: SELECT name, unwound_count FROM functions WHERE unwound_count > 0 ORDER
//     BY name => rethrower|50; thrower|1100
// expect-sql: SELECT (SELECT SUM(unwound_count) FROM functions) = (SELECT SUM(value) FROM
//     trust WHERE name = 'repaired_frames') => 1
#include "truth.h"
#include <stdexcept>

static volatile int sum;

struct Guard {
	ALONE ~Guard();
};

Guard::~Guard()
{
	sum = sum + 1;
}

ALONE static void thrower(int levels)
{
	if (levels == 0)
		throw std::runtime_error("far away");
	thrower(levels - 1);
	sum = sum + 1;
}

ALONE static void handler()
{
	sum = sum + 1;
}

ALONE static void after_catch()
{
	sum = sum + 1;
}

ALONE static void finish()
{
	sum = sum + 1;
}

ALONE static void catcher(int levels)
{
	try {
		Guard guard;

		thrower(levels);
	} catch (const std::runtime_error &) {
		handler();
	}
	after_catch();
}

ALONE static void rethrower()
{
	try {
		throw 7;
	} catch (int) {
		sum = sum + 1;
		throw;
	}
}

ALONE static void after_rethrow()
{
	sum = sum + 1;
}

int main()
{
	for (int i = 0; i < 100; i++) {
		catcher(10);
		finish();
	}
	for (int i = 0; i < 50; i++) {
		try {
			rethrower();
		} catch (int number) {
			sum = sum + number;
		}
		after_rethrow();
	}
	return 0;
}
