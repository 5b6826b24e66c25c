// SPDX-License-Identifier: MIT
// Functions to choose from: namespaces, classes, overloads, templates, constructors, what
// is called by tail calls, recursively, from a constructor before main() and by threads.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile int sink;

namespace acme
{
namespace net
{
NOINLINE int send(int value)
{
	sink = value;
	return value + 1;
}

NOINLINE int receive(int value)
{
	return send(value); // a tail call
}
} // namespace net

class Parser
{
      public:
	NOINLINE explicit Parser(int start) : at(start)
	{
		sink = start;
	}
	NOINLINE ~Parser()
	{
		sink = at;
	}
	NOINLINE int next()
	{
		return net::receive(at++);
	}
	NOINLINE int next(int by)
	{
		at += by;
		return next();
	}

      private:
	int at;
};

template <typename T> NOINLINE T twice(T value)
{
	return value + value;
}
} // namespace acme

static NOINLINE int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE void fail(int value)
{
	if (value % 3 == 0)
		throw std::runtime_error("a third");
	sink = value;
}

static NOINLINE int attempt(int value)
{
	try {
		fail(value);
	} catch (const std::runtime_error &) {
		return 1;
	}
	return 0;
}

static NOINLINE long work(int count)
{
	acme::Parser parser(1);
	long sum = 0;

	for (int i = 0; i < count; i++)
		sum += parser.next() + parser.next(2) + acme::twice(i) +
		       (long)acme::twice(0.5) + attempt(i);
	return sum;
}

__attribute__((constructor)) static void early()
{
	sink = acme::net::send(1);
}

int main(int argc, char **argv)
{
	int count = 100 * argc;
	std::vector<std::thread> threads;

	(void)argv;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([count] { work(count); });
	for (std::thread &thread : threads)
		thread.join();
	printf("%ld %d\n", work(count), fibonacci(15));
	return 0;
}
