/* SPDX-License-Identifier: MIT */
/* Code before main and after it: constructors and destructors of static objects,
 * functions of atexit(), and what they allocate and free. */
// variants: all
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 1111
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'step' ORDER BY caller
//     => Early::Early|1; Early::~Early|10; at_exit|100; last|1000
// expect-below: Early::Early alloc_bytes => 4321
// expect-below: Early::Early live_bytes => 0
// expect-below: last alloc_bytes => 777
// expect-below: last live_bytes => 777
#include "truth.h"
#include <cstdlib>

static volatile int sum;

ALONE static void step()
{
	sum = sum + 1;
}

struct Early {
	ALONE Early();
	ALONE ~Early();
	char *block;
};

Early::Early() : block(new char[4321])
{
	step();
}

Early::~Early()
{
	for (int i = 0; i < 10; i++)
		step();
	delete[] block;
}

static Early early;

ALONE static void at_exit()
{
	for (int i = 0; i < 100; i++)
		step();
}

__attribute__((destructor)) ALONE static void last()
{
	for (int i = 0; i < 1000; i++)
		step();
	keep(malloc(opaque(777)));
}

int main()
{
	return std::atexit(at_exit);
}
