// SPDX-License-Identifier: MIT
// C++ with functions that call each other in turn, templates, and a library loaded late
// (argv[1]) that calls back.
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <vector>

#define CALLED __attribute__((noinline))

namespace tree
{
template <typename T> struct Node {
	T value;
	std::vector<Node> below;
};

CALLED long odd(const Node<int> &node);

CALLED long even(const Node<int> &node)
{
	long sum = node.value;

	for (const auto &one : node.below)
		sum += odd(one);
	return sum;
}

CALLED long odd(const Node<int> &node)
{
	long sum = -node.value;

	for (const auto &one : node.below)
		sum += even(one);
	return sum;
}

CALLED Node<int> grow(int depth)
{
	Node<int> node{depth, {}};

	for (int i = 0; depth > 0 && i < 3; i++)
		node.below.push_back(grow(depth - 1));
	return node;
}
} // namespace tree

extern "C" CALLED void called_back(int number)
{
	std::vector<std::string> texts(static_cast<size_t>(number % 7),
				       std::string(40, 'x'));

	std::printf("%zu\n", texts.size());
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
	auto run = reinterpret_cast<void (*)(void (*)(int))>(
		library ? dlsym(library, "run_plug") : nullptr);

	if (!run)
		return 1;
	for (int i = 0; i < 5; i++) {
		auto node = tree::grow(6);

		std::printf("%ld\n", tree::even(node) + tree::odd(node));
	}
	run(called_back);
	dlclose(library);
	return 0;
}
