/* SPDX-License-Identifier: MIT */
/*
 * What C++ allocates by way of its library: a line that ends with "//@ BYTES + BYTES" asks
 * for so much there, counted by hand for libstdc++ and 64 bits; no other line does. What is
 * asked for inside of the library is the line's that called it. The argument says how often
 * all this is done. With "//@once BYTES" that is once; "//@sums BYTES" is what counts unless
 * it is compiled without (clang++ -finstrument-functions cannot link that); "//@asked BYTES"
 * counts instead of the header's lines when that is library, too.
 *
 * usage: user_lines [ROUNDS]
 */
#include "truth.h"
#include "user_lines.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <static_template.h>
#include <string>
#include <vector>

struct Big {
	char bytes[1000];
};

ALONE static void vectors()
{
	std::vector<int> a, b;

	a.reserve(opaque(100)); //@ 400
	keep(a.data());
	for (int i = 0; i < 100; i++)
		a.push_back(i);
	a.push_back(1); //@ 800
	keep(a.data());
	b.push_back(1); //@ 4
	keep(b.data());
	b.push_back(2); //@ 8
	b.push_back(3); //@ 16
	keep(b.data());
	std::vector<double> c(opaque(50)); //@ 400
	keep(c.data());
	std::vector<double> d(c); //@ 400
	keep(d.data());
}

ALONE static void strings()
{
	std::string s(opaque(100), 'x'); //@ 101
	keep(s.data());
	std::string t(s); //@ 101
	keep(t.data());
	t += "some more of it that does not fit into what it has so far"; //@ 201
	keep(t.data());
	t.reserve(opaque(5000)); //@ 5001
	keep(t.data());
	char *copy = strdup("hello there"); //@ 12
	keep(copy);
	free(copy);
}

#ifndef WITHOUT_SUMS
ALONE static void sums()
{
	std::string part(opaque(40), 'x'); //@sums 41
	keep(part.data());
	std::string sum = std::string("(") + part + ")"; //@sums 42 + 83
	keep(sum.data());
}
#else
static void sums()
{
}
#endif

ALONE static void trees()
{
	std::map<int, int> map;
	std::list<Big> list;

	map[1] = 2;	       //@ 40
	map[2] = 3;	       //@ 40
	map.emplace(3, 4);     //@ 40
	map.insert({4, 5});    //@ 40
	list.push_back(Big()); //@ 1016
	keep(&map);
	keep(&list);
}

ALONE static void pointers()
{
	auto unique = std::make_unique<Big>(); //@ 1000
	keep(unique.get());
	auto shared = std::make_shared<Big>(); //@ 1016
	keep(shared.get());
	std::shared_ptr<Big> other(new Big); //@ 1000 + 24
	keep(other.get());
}

ALONE static void closures()
{
	Big big = {};
	std::function<size_t()> call = [big]() { return big.bytes[0]; }; //@ 1000
	keep(&call);
	auto make = [](size_t size) {
		return new char[size]; //@ 777
	};
	char *made = make(opaque(777));
	keep(made);
	delete[] made;
	made = statically_made<char>(opaque(555)); //@ 555
	keep(made);
	delete[] made;
	made = plainly_made(opaque(333)); //@ 333
	keep(made);
	delete[] made;
}

ALONE static void own()
{
	auto ints = filled<int>(opaque(1000));	    //@asked 4000
	auto doubles = filled<double>(opaque(200)); //@asked 1600
	Stack<double> stack;

	for (int i = 0; i < 20; i++)
		stack.push(i); //@asked 32 + 96 + 224
	keep(ints.data());
	keep(doubles.data());
	keep(&stack);
}

ALONE static std::vector<int> *recursive(int depth)
{
	if (depth == 0)
		return new std::vector<int>(opaque(10)); //@ 24 + 40
	auto *below = recursive(depth - 1);
	below->resize(below->size() * 4); //@ 160 + 640
	return below;
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--) {
		vectors();
		strings();
		sums();
		trees();
		pointers();
		closures();
		own();
		delete recursive(2);
	}
	puts("done"); //@once 4096
}
