// SPDX-License-Identifier: MIT
// A program of several source files, for rules about files and whole names.
#include "inner/ring.h"

extern "C" __attribute__((noinline)) int plain_c(int value)
{
	shapes::sink = value;
	return value + shapes::sink;
}

int main(int argc, char **)
{
	shapes::ring<int> numbers{argc};
	shapes::ring<double> reals{1.5};
	shapes::point one{1, argc}, two{argc, 1};
	auto inner = [&](int by) __attribute__((noinline))
	{
		shapes::sink = by;
		return by + argc;
	};

	return numbers.turn(2) + static_cast<int>(reals.turn(2.5)) +
	       static_cast<int>(numbers.as<double>(0.5)) + numbers.as<long>(2) +
	       (one == two) + one(3) + (one + two).x + shapes::measure(3) +
	       shapes::measure(one) + plain_c(argc) + inner(1);
}
