// SPDX-License-Identifier: MIT
// A program before and after (-DAFTER) its functions were renamed, moved, made from other
// templates, split; renames.py knows which is which.
#include <cstdlib>

#define CALLED __attribute__((noinline))

static volatile long sink;

CALLED void store(int value)
{
	sink = sink + value;
}

#include "renames_moved.h"

#ifdef AFTER
// renamed
CALLED void read_record(int value)
#else
CALLED void parse_line(int value)
#endif
{
	store(value);
	store(value + 1);
}

// moves into another file
#ifndef AFTER
CALLED void weigh(int value)
{
	sink = sink + 3 * value;
}
#endif

#ifndef AFTER
// moves into a namespace and another file
CALLED void checksum(int value)
{
	void *block = malloc(16);

	sink = sink + value + (block != nullptr);
	free(block);
}
#endif

// made from another type
template <typename T> CALLED T scale(T value)
{
	return value * (T)sink;
}

// split into two
#ifdef AFTER
CALLED void process_head(int value)
{
	sink = sink + value;
}

CALLED void process_tail(int value)
{
	sink = sink - value;
}
#else
CALLED void process(int value)
{
	sink = sink + value;
	sink = sink - value;
}
#endif

// one of the two is left: either
#ifdef AFTER
CALLED void mix()
{
	sink = sink + 1;
}
#else
namespace north
{
CALLED void mix()
{
	sink = sink + 1;
}
} // namespace north

namespace south
{
CALLED void mix()
{
	sink = sink + 2;
}
} // namespace south
#endif

// a class by another name, with all it has
#ifdef AFTER
#define BUFFER ring_buffer
#else
#define BUFFER plain_buffer
#endif
struct BUFFER {
	CALLED BUFFER()
	{
		store(3);
	}
	CALLED void fill()
	{
		store(4);
	}
};

// another parameter
#ifdef AFTER
CALLED void measure(long value)
#else
CALLED void measure(int value)
#endif
{
	sink = sink + value;
}

#ifdef AFTER
CALLED void fresh()
{
	sink = sink + 3;
}
#else
CALLED void legacy()
{
	sink = sink - 3;
}
#endif

CALLED static void run(int round)
{
	store(round);
#ifdef AFTER
	read_record(round);
	util::checksum(round);
	sink = scale<long>(round);
	process_head(round);
	process_tail(round);
	if (round % 2)
		mix();
	if (round % 9 == 0)
		fresh();
#else
	parse_line(round);
	checksum(round);
	sink = scale<int>(round);
	process(round);
	if (round % 2)
		north::mix();
	else
		south::mix();
	if (round % 3 == 0)
		legacy();
#endif
	weigh(round);
	BUFFER buffer;
	buffer.fill();
	measure(round);
}

int main()
{
	for (int round = 0; round < 40; round++)
		run(round);
	return 0;
}
