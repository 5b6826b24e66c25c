/* SPDX-License-Identifier: MIT */
// What C++ inlines: methods of templates, constructors and destructors, a lambda, and a
// virtual method that is called for a base, and through a pointer, too.
// variants: lto all
// expect-sql: SELECT SUM(calls), SUM(inlined_calls), SUM(self_ns) FROM functions WHERE name
//     LIKE '%{lambda#1}' => 4|4|0
// expect-sql: SELECT p.name, c.name, c.calls, c.inlined_calls, h.name FROM call_paths c JOIN
//     call_paths p ON p.path_id = c.parent_path_id JOIN call_paths h ON h.path_id =
//     c.host_path_id WHERE c.name LIKE 'Guard::%' OR c.name LIKE 'Box<int>::%' OR c.name LIKE
//     'Base::run%' OR c.name LIKE 'Derived::run%' ORDER BY 1, 2 =>
//     Box<int>::both|Box<int>::get|10|10|guarded;
//     Derived::run|Base::run|2|2|Derived::run;
//     guarded|Box<int>::both|5|5|guarded;
//     guarded|Guard::Guard|5|5|guarded;
//     guarded|Guard::~Guard|5|5|guarded;
//     use|Base::run|3|0|Base::run;
//     use|Derived::run|2|0|Derived::run
// expect-sql: SELECT COUNT(DISTINCT host_path_id), SUM(calls) FROM call_paths WHERE
//     name LIKE '%{lambda#1}' => 1|4
#include "truth.h"

#define INLINED __attribute__((always_inline)) inline

static volatile int sum;

template <class T> struct Box {
	T value;

	INLINED T get() const
	{
		return value + sum;
	}
	INLINED T both() const
	{
		return get() + get();
	}
};

struct Guard {
	INLINED Guard()
	{
		sum = sum + 1;
	}
	INLINED ~Guard()
	{
		sum = sum - 1;
	}
};

struct Base {
	INLINED virtual int run(int number)
	{
		return number + sum;
	}
};

struct Derived : Base {
	int run(int number) override
	{
		return Base::run(number) * 2;
	}
};

template <class F> ALONE static int apply(F function, int count)
{
	int result = 0;

	for (int i = 0; i < count; i++)
		result += function(i);
	return result;
}

ALONE static void guarded()
{
	Guard guard;
	Box<int> box{3};

	sum = sum + box.both();
}

ALONE static int use(Base *object)
{
	return object->run(sum);
}

int main()
{
	Base base;
	Derived derived;

	for (int i = 0; i < 5; i++)
		guarded();
	for (int i = 0; i < 3; i++)
		sum = sum + use(&base);
	for (int i = 0; i < 2; i++)
		sum = sum + use(&derived);
	sum = sum +
	      apply(
		      [](int i) __attribute__((always_inline)) { return i + sum; }, 4);
	return 0;
}
