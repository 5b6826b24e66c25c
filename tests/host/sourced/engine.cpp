// SPDX-License-Identifier: MIT
// What this is: see ../sourced.cpp.
#include "engine.h"

volatile int sink;

namespace engine
{
NOINLINE bool Turn::operator==(const Turn &other) const
{
	sink = by;
	return by == other.by;
}

static NOINLINE int gear(int value)
{
	sink = value;
	return value + sink;
}

NOINLINE int run(int count)
{
	Queue<int> small = {0};
	Queue<double> large = {0};

	for (int i = 0; i < count; i++) {
		small.push(gear(i));
		large.push(0.5);
	}
	return small.pop() + static_cast<int>(large.pop());
}

NOINLINE int run(long count)
{
	int found = 0;

	for (int i = 0; i < count; i++)
		found += Turn{i} == Turn{gear(2)};
	return found;
}
} // namespace engine
