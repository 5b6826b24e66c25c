// SPDX-License-Identifier: MIT
// What plugged.cpp loads.
#include <memory>

#define CALLED __attribute__((noinline))

namespace plug
{
CALLED std::unique_ptr<int> number_of(int i)
{
	return std::make_unique<int>(i);
}

template <typename F> CALLED void repeat(int count, F call)
{
	for (int i = 0; i < count; i++)
		call(*number_of(i));
}
} // namespace plug

extern "C" void run_plug(void (*call)(int))
{
	plug::repeat(50, call);
}
