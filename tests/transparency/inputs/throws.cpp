// SPDX-License-Identifier: MIT
#include <cstdio>
#include <exception>
#include <thread>

struct negative : std::exception {
	const char *what() const noexcept override
	{
		return "negative";
	}
};

static int checked(int value)
{
	if (value < 0)
		throw negative();
	return value;
}

static void count(int *caught)
{
	for (int i = -1000; i < 1000; i++)
		try {
			checked(i);
		} catch (const negative &) {
			++*caught;
		}
}

int main()
{
	int caught[2] = {};
	std::thread one(count, &caught[0]), other(count, &caught[1]);

	one.join();
	other.join();
	std::printf("%d %d\n", caught[0], caught[1]);
	return 0;
}
