// SPDX-License-Identifier: MIT
// A program to be looked up, not run. A comment "at: NAME" marks a line that a test asks
// for.
#include <cstdlib>

volatile int sink;
void *volatile kept;

extern "C" __attribute__((noinline)) void *leaf(std::size_t size)
{
	kept = std::malloc(size);
	return kept;
}

namespace shop
{
struct basket {
	explicit basket(int n);
	int count(const char *what) const;
	int held;
};

__attribute__((noinline)) basket::basket(int n) : held(n) // at: constructor
{
	sink = n;
}

__attribute__((noinline)) int basket::count(const char *what) const // at: method
{
	sink = *what;
	return held;
}

template <typename T> static inline __attribute__((always_inline)) T twice(T value)
{
	leaf(sizeof(T)); // at: call of leaf
	sink = static_cast<int>(value);
	return value + value;
}

namespace
{
__attribute__((noinline)) int secret(int n) // at: secret
{
	int result = twice<int>(n); // at: call of twice

	sink = result;
	return result;
}
} // namespace
} // namespace shop

int main(int argc, char **argv)
{
	shop::basket basket(argc);
	auto closure = [&](int n) __attribute__((noinline))
	{
		sink = n;
		return n + basket.held;
	};

	return basket.count(argv[0]) + shop::secret(argc) + closure(argc);
}
