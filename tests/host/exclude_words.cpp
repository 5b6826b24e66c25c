/* SPDX-License-Identifier: MIT */
/* What this is: tiny functions by all kinds of names that C++ has. */
#include <cstdio>

static volatile long sink;

namespace text
{
struct Slice {
	long n;
	explicit Slice(long a) : n(a)
	{
	}
	~Slice()
	{
		n = 0;
	}
	long size() const
	{
		return n;
	}
	Slice &operator+=(long a)
	{
		n += a;
		return *this;
	}
	explicit operator bool() const
	{
		return n != 0;
	}
	long operator()(long a) const
	{
		return n + a;
	}
	template <class T> T as() const
	{
		return (T)n;
	}
	static long make(long a)
	{
		return a;
	}
};
Slice operator-(const Slice &a, const Slice &b)
{
	return Slice(a.n - b.n);
}
template <class T> T twice(T a)
{
	return 2 * a;
}
template <class T, int N> struct Box {
	T v;
	explicit Box(T a) : v(a)
	{
	}
	T get() const
	{
		return v + N;
	}
};
namespace
{
long hidden(long a)
{
	return a + 1;
}
} // namespace
inline namespace v1
{
long versioned(long a)
{
	return a;
}
} // namespace v1
[[gnu::abi_tag("x")]] long tagged(long a)
{
	return a;
}
/* Not tiny; its name has another one's in it. */
long make_all(long a)
{
	long sum = a;

	for (long i = 0; i < 20000; i++)
		sum += sum * 7 + i;
	return sum;
}
long make(long a)
{
	return a + 2;
}
} // namespace text

int main()
{
	auto add = [](long a) { return a + 1; };

	for (long i = 0; i < 60000; i++) {
		text::Slice slice(i), other(2);
		text::Box<long, 3> box(i);

		slice += text::Slice::make(i) + text::make(i);
		sink += slice.size() + (bool)slice + slice(1) + slice.as<int>() +
			text::twice(i) + (long)text::twice(2.5) + box.get() +
			(slice - other).size() + text::hidden(i) + text::versioned(i) +
			text::tagged(i) + add(i);
	}
	for (long i = 0; i < 200; i++)
		sink += text::make_all(i);
	std::puts("done");
	return 0;
}
