/* SPDX-License-Identifier: MIT */
/* What compilers do to calls: tail calls that -O2 turns into jumps elsewhere, alloca and
 * arrays of variable length (the stack pointer at the exit is not that of the entry),
 * inlined functions, functions split and cloned, indirect calls, and calls with many
 * arguments. Regular control flow: nothing is repaired. */
// variants: lto
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       tail_first 100
//         tail_second 100
//           tail_third 100
//             leaf 100
//       with_alloca 100
//         fill 1000
//         leaf 100
//       with_array 100
//         fill 100
//         with_array 100
//           fill 100
//           leaf 100
//       hosts 100
//         inlined 200
//           leaf 200
//       through_pointer 200
//         leaf 100
//         tail_third 100
//           leaf 100
//       many 100
//         leaf 100
//       variadic 100
//         leaf 300
//       big_result 100
//         leaf 100
#include "truth.h"
#include <alloca.h>
#include <stdarg.h>

static volatile unsigned sum;

ALONE static int leaf(int number)
{
	sum++;
	return number + 1;
}

ALONE static int tail_third(int number)
{
	return leaf(number);
}

ALONE static int tail_second(int number)
{
	return tail_third(number);
}

ALONE static int tail_first(int number)
{
	return tail_second(number);
}

ALONE static void fill(char *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (char)i;
	keep(bytes);
}

ALONE static void with_alloca(void)
{
	int i;

	for (i = 1; i <= 10; i++)
		fill(alloca(opaque((size_t)i * 100)), (size_t)i * 100);
	leaf(1);
}

ALONE static void with_array(int size)
{
	char bytes[opaque((size_t)size)];

	fill(bytes, (size_t)size);
	if (size > 1000)
		with_array(size - 1000);
	else
		leaf(size);
}

static inline __attribute__((always_inline)) int inlined(int number)
{
	return leaf(number) * 2;
}

ALONE static int hosts(int number)
{
	return inlined(number) + inlined(number + 1);
}

ALONE static int through_pointer(int (*volatile function)(int))
{
	return function(3);
}

ALONE static int many(int a, int b, int c, int d, int e, int f, int g, int h, double x,
		      double y)
{
	return leaf(a + b + c + d + e + f + g + h + (int)(x + y));
}

ALONE static int variadic(int count, ...)
{
	va_list list;
	int i, result = 0;

	va_start(list, count);
	for (i = 0; i < count; i++)
		result += leaf(va_arg(list, int));
	va_end(list);
	return result;
}

struct big {
	int numbers[40];
};

ALONE static struct big big_result(int number)
{
	struct big result = {{leaf(number)}};

	return result;
}

int main(void)
{
	int i, result = 0;

	for (i = 0; i < 100; i++) {
		result += tail_first(i);
		with_alloca();
		with_array(2000);
		result += hosts(i);
		result += through_pointer(leaf);
		result += through_pointer(tail_third);
		result += many(1, 2, 3, 4, 5, 6, 7, 8, 1.5, 2.5) != 41;
		result += variadic(3, 1, 2, 3) != 9;
		result += big_result(i).numbers[0] != i + 1;
	}
	/* sums of i + 1, 4 i + 6, 8 for 0 <= i < 100 */
	return result == 5050 + 4 * 4950 + 600 + 800 ? 0 : 1;
}
