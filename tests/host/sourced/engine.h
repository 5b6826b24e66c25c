// SPDX-License-Identifier: MIT
// What this is: see ../sourced.cpp.
#pragma once

#define NOINLINE __attribute__((noinline))

extern volatile int sink;

namespace engine
{
template <typename T> struct Queue {
	T held;
	NOINLINE void push(T value)
	{
		sink = static_cast<int>(value);
		held += value;
	}
	NOINLINE T pop()
	{
		sink = static_cast<int>(held);
		return held;
	}
};

struct Turn {
	int by;
	bool operator==(const Turn &other) const;
};

int run(int count);
int run(long count);
} // namespace engine
