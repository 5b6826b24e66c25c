/* SPDX-License-Identifier: MIT */
/* What C++20 waits with: atomics, which ask the kernel themselves, semaphores, latches,
 * barriers, condition variables with a stop token; nothing is lost or woken too late. */
// flags: -std=c++20 -pthread
// variants: once
// expect-sql: SELECT COUNT(*) FROM threads => 11
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static int take_turns(int rounds)
{
	std::atomic<int> turn{0};
	std::thread other([&] {
		for (int i = 0; i < rounds; i++) {
			turn.wait(2 * i);
			turn.store(2 * i + 2);
			turn.notify_one();
		}
	});

	for (int i = 0; i < rounds; i++) {
		int seen = 2 * i + 1;

		turn.store(seen);
		turn.notify_one();
		while ((seen = turn.load()) != 2 * i + 2)
			turn.wait(seen);
	}
	other.join();
	return turn.load();
}

static long meet(int threads, int rounds)
{
	std::counting_semaphore<8> done{0};
	std::barrier all{threads};
	std::latch ended{threads + 1};
	std::atomic<long> count{0};
	std::vector<std::thread> running;

	for (int i = 0; i < threads; i++)
		running.emplace_back([&] {
			for (int round = 0; round < rounds; round++) {
				all.arrive_and_wait();
				count++;
			}
			ended.count_down();
			done.release();
		});
	ended.arrive_and_wait();
	for (int i = 0; i < threads; i++)
		done.acquire();
	for (auto &thread : running)
		thread.join();
	return count;
}

static bool stop()
{
	std::mutex mutex;
	std::condition_variable_any condition;
	bool was_asked = false;

	{
		std::jthread waiter([&](std::stop_token token) {
			std::unique_lock lock(mutex);

			was_asked = !condition.wait(lock, token, [] { return false; });
		});
		std::this_thread::sleep_for(5ms);
	}
	return was_asked;
}

static int time_out()
{
	std::timed_mutex held;
	std::mutex mutex;
	std::condition_variable condition;
	std::unique_lock lock(mutex);
	bool has_it = true;

	held.lock();
	std::thread([&] { has_it = held.try_lock_for(3ms); }).join();
	held.unlock();
	return has_it + (condition.wait_for(lock, 3ms) == std::cv_status::timeout) * 2;
}

int main()
{
	int turns = take_turns(1000);
	long met = meet(7, 100);
	bool was_asked = stop();

	std::printf("%d %ld %d %d\n", turns, met, was_asked, time_out());
}
