// SPDX-License-Identifier: MIT
// What this is: see main.cpp.
#pragma once

namespace shapes
{
extern volatile int sink;

template <typename T> struct ring {
	T held;
	__attribute__((noinline)) T turn(T by)
	{
		sink = static_cast<int>(by);
		return held + by;
	}
	template <typename U> __attribute__((noinline)) U as(U scale)
	{
		sink = static_cast<int>(scale);
		return static_cast<U>(held) * scale;
	}
};

struct point {
	int x, y;
	bool operator==(const point &other) const;
	int operator()(int by) const;
};

point operator+(const point &one, const point &other);
int measure(int);
int measure(const point &);
} // namespace shapes
