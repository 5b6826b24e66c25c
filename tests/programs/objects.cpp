/* SPDX-License-Identifier: MIT */
/* C++: new and delete, templates, a growing vector, names of all kinds. */
// variants: all
// expect-below: make alloc_count => 100
// expect-below: make alloc_bytes => 6400
// expect-below: grow alloc_count => 11
// expect-below: grow alloc_bytes => 8188
// expect-sql: SELECT calls FROM functions WHERE name = 'make' => 100
// expect-sql: SELECT calls FROM functions WHERE name = 'add<int>' => 200
// expect-sql: SELECT calls FROM functions WHERE name = 'add<double>'
//     => 100
// expect-sql: SELECT calls, linkage_name FROM functions WHERE name =
//     'shop::Counter::count' => 300|_ZNK4shop7Counter5countEi
// expect-sql: SELECT calls FROM functions WHERE name = '(anonymous namespace)::hidden' => 5
// expect-sql: SELECT SUM(live_bytes) FROM allocation_sites s WHERE s.path_id IN (WITH
//     RECURSIVE below(path_id) AS (SELECT path_id FROM call_paths WHERE name =
//     'make' UNION SELECT c.path_id FROM call_paths c JOIN below b ON
//     c.parent_path_id = b.path_id) SELECT path_id FROM below) => 640
// expect-sql: SELECT COUNT(*) FROM functions WHERE name LIKE '_Z%' => 0
#include "truth.h"
#include <vector>

static volatile int sum;

ALONE static char *make(unsigned long size)
{
	char *block = new char[size];

	keep(block);
	return block;
}

template <typename T> ALONE T add(T a, T b)
{
	return a + b;
}

namespace shop
{
struct Counter {
	ALONE Counter();
	ALONE int count(int by) const;
	int step;
};

Counter::Counter() : step(2)
{
}

int Counter::count(int by) const
{
	return sum + by * step;
}
} // namespace shop

namespace
{
ALONE void hidden()
{
	sum = sum + 1;
}
} // namespace

ALONE static void grow(std::vector<int> &numbers)
{
	for (int i = 0; i < 1000; i++)
		numbers.push_back(i);
}

int main()
{
	char *blocks[100];
	std::vector<int> numbers;
	shop::Counter counter;

	for (int i = 0; i < 100; i++)
		blocks[i] = make(64);
	for (int i = 0; i < 90; i++)
		delete[] blocks[i];
	grow(numbers);
	for (int i = 0; i < 200; i++)
		sum = add(sum, i);
	for (int i = 0; i < 100; i++)
		sum = (int)add((double)sum, 0.5);
	for (int i = 0; i < 300; i++)
		sum = counter.count(i);
	for (int i = 0; i < 5; i++)
		hidden();
	return 0;
}
