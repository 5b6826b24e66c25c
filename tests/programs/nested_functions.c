/* SPDX-License-Identifier: MIT */
/* GNU C's functions within functions: called directly, through a trampoline on the stack,
 * recursively, and left by a goto to a label of the function around them. */
// variants: gcc lto
// flags: -Wno-pedantic
// expect-trust: repaired_frames => 300
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       direct 100
//         add.0 300
//       callback 100
//         call_twice 100
//           count.1 200
//       recursive 100
//         walk.2*5 100
//       leaves_by_goto 100
//         call_twice 100
//           leave.3*2 100
//             after 100
#include "truth.h"

static volatile unsigned sum;

ALONE static void after(void)
{
	sum++;
}

ALONE static void call_twice(void (*function)(int))
{
	function(1);
	function(0);
	sum++;
}

ALONE static int direct(void)
{
	int total = 0;

	ALONE void add(int number)
	{
		total += number;
	}

	add(1);
	add(2);
	add(3);
	return total;
}

ALONE static int callback(void)
{
	int calls = 0;

	ALONE void count(int number)
	{
		calls += number + 1;
	}

	call_twice(count);
	return calls;
}

ALONE static int recursive(void)
{
	int depth = 0;

	ALONE void walk(int levels)
	{
		depth++;
		if (levels > 1)
			walk(levels - 1);
	}

	walk(5);
	return depth;
}

/* A jump that no library function makes: unseen until the exit of the function that it
 * went to, which closes those left. What is called in between hangs under them. */
ALONE static void leaves_by_goto(void)
{
	__label__ out;

	ALONE void leave(int number)
	{
		if (number == 0)
			goto out;
		if (number > 0)
			leave(number - 1);
	}

	call_twice(leave);
out:
	after();
}

int main(void)
{
	int i, result = 0;

	for (i = 0; i < 100; i++) {
		result += direct() != 6;
		result += callback() != 3;
		result += recursive() != 5;
		leaves_by_goto();
	}
	return result;
}
