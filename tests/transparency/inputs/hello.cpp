// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

template <typename T> T checked(T value)
{
	if (value < 0)
		throw std::runtime_error("negative");
	return value;
}

int main()
{
	std::map<std::string, int> counts;
	std::vector<std::thread> threads;
	std::vector<int> results(4);

	for (int i = 0; i < 1000; i++)
		counts["key" + std::to_string(i % 37)] += i;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&results, i] { results[i] = checked(i * i); });
	for (auto &thread : threads)
		thread.join();
	for (const auto &[key, count] : counts)
		if (std::regex_match(key, std::regex("key[0-9]")))
			std::cout << key << ' ' << count << '\n';
	try {
		checked(-1);
	} catch (const std::exception &error) {
		std::cout << error.what() << ' ' << results[3] << '\n';
	}
}
