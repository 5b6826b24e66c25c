// SPDX-License-Identifier: MIT
// Threads and tasks of each kind, and a library that calls back; frames.py looks at the
// pictures of it.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#define CALLED __attribute__((noinline))

static volatile long sink;

CALLED void work(int rounds)
{
	for (int i = 0; i < rounds; i++)
		sink = sink + i;
	free(malloc((size_t)rounds));
}

struct Worker {
	int rounds;
	CALLED void operator()() const
	{
		work(rounds);
	}
};

CALLED void plain(int rounds)
{
	work(rounds);
}

CALLED void late(int rounds)
{
	work(rounds);
}

CALLED bool is_less(int a, int b)
{
	return a < b;
}

CALLED int packed()
{
	work(6000);
	return 3;
}

int main()
{
	std::vector<int> numbers;

	for (int i = 0; i < 300; i++)
		numbers.push_back(i * 79 % 301);
	std::sort(numbers.begin(), numbers.end(), is_less);

	std::thread of_lambda([] { work(50000); });
	std::thread of_object(Worker{10000});
	std::thread of_function(plain, 5000);
	std::function<void()> called = [] { work(3000); };
	std::thread of_called(called);
	std::packaged_task<int()> task(packed);
	auto from_task = task.get_future();
	std::thread of_task(std::move(task));
	auto at_once = std::async(std::launch::async, [] {
		work(30000);
		return 1;
	});
	auto when_asked = std::async(std::launch::deferred, late, 15000);

	of_lambda.join();
	of_object.join();
	of_function.join();
	of_called.join();
	of_task.join();
	when_asked.get();
	return at_once.get() + from_task.get() - 4;
}
