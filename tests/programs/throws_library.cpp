/* SPDX-License-Identifier: MIT */
/* The library of throws_across.cpp that has hooks. */
#include "throws_library.h"
#include "truth.h"

static volatile int sum;

struct Part {
	ALONE Part();
	ALONE ~Part();
};

Part::Part()
{
	sum = sum + 1;
}

Part::~Part()
{
	sum = sum + 1;
}

ALONE static void library_after()
{
	sum = sum + 1;
}

ALONE void library_throw(int levels)
{
	if (levels == 0)
		throw 1;
	library_throw(levels - 1);
	sum = sum + 1;
}

ALONE void library_throw_problem()
{
	throw Problem{3};
}

ALONE void library_catch(void (*function)())
{
	try {
		Part part;

		function();
	} catch (char) {
		library_after();
	}
}

ALONE void library_call(void (*function)())
{
	Part part;

	function();
	sum = sum + 1;
}
