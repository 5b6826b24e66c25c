/* SPDX-License-Identifier: MIT */
/* The library of throws_across.cpp that has no hooks; it lets exceptions through. */
#include "throws_library.h"

void silent_call(void (*function)())
{
	static volatile int sum;

	function();
	sum = sum + 1;
}
