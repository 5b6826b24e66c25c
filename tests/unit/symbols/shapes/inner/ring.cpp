// SPDX-License-Identifier: MIT
// What this is: see main.cpp.
#include "ring.h"

namespace shapes
{
volatile int sink;

__attribute__((noinline)) bool point::operator==(const point &other) const
{
	sink = x;
	return x == other.x && y == other.y;
}

__attribute__((noinline)) int point::operator()(int by) const
{
	sink = by;
	return x * by;
}

__attribute__((noinline)) point operator+(const point &one, const point &other)
{
	sink = one.x;
	return {one.x + other.x, one.y + other.y};
}

namespace
{
__attribute__((noinline)) int hidden(int by)
{
	sink = by;
	return by + sink;
}
} // namespace

__attribute__((noinline)) int measure(int length)
{
	return hidden(length);
}

__attribute__((noinline)) int measure(const point &of)
{
	sink = of.x;
	return of.x + of.y;
}
} // namespace shapes
