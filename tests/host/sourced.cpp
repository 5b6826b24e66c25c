// SPDX-License-Identifier: MIT
// Functions of several source files, one of them a header, called before main(), by main()
// and by threads.
#include <cstdio>
#include <thread>
#include <vector>

#include "sourced/engine.h"

static NOINLINE int step(int value)
{
	sink = value;
	return engine::run(value) + engine::run(static_cast<long>(value));
}

__attribute__((constructor)) static void early()
{
	sink = engine::run(3);
}

int main()
{
	std::vector<std::thread> threads;
	int sum = 0;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([] { step(20); });
	for (std::thread &thread : threads)
		thread.join();
	for (int i = 0; i < 10; i++)
		sum += step(i);
	printf("%d\n", sum);
	return 0;
}
