/* SPDX-License-Identifier: MIT */
/* The longjmp family in its forms: nested buffers, buffers that are set again, jumped to
 * again, copied, or on the heap; jumps past inner buffers; every spelling of setjmp and
 * longjmp; inlined functions on both ends. The functions jumped over are repaired frames,
 * one each, and what comes after the jump hangs under the function that called setjmp. */
// variants: lto
// flags[-O2]: -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// expect-trust: repaired_frames => 4200
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       nested_outer 100
//         nested_inner 100
//           throw_inner*3 100
//           throw_outer 100
//         landed 100
//       setjmp_in_loop 1
//         throw_inner*2 300
//         landed 300
//       retries 1
//         throw_inner*5 200
//         landed 200
//       copied 100
//         overwriter 100
//           throw_inner*2 100
//           landed 100
//         throw_copy*4 100
//         landed 100
//       heap_buffer 100 +100
//         throw_pointer 100
//         landed 100
//       skips_inner 100
//         level_two 100
//           level_three 100
//             throw_outer 100
//         landed 100
//       spellings 100
//         by_longjmp 100
//         by_underscore 100
//         by_signal_jump 200
//         landed 500
//         by_zero 100
//       inline_catcher 100
//         attempt 100
//           host 100
//             inline_thrower 100
//           landed 100
//         landed 100
//       inline_between 100
//         inline_body 100
//           throw_inner*2 100
//         landed 100
//       allocates 100 +100
//         allocating_thrower 100 +100
#include "truth.h"
#include <setjmp.h>
#include <stdlib.h>

/* gcc never inlines a function that calls setjmp. */
#ifdef __clang__
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif

static volatile unsigned sum;
static jmp_buf outer, inner, copy;
static sigjmp_buf signal_place;
static jmp_buf *volatile pointer;

ALONE static void landed(void)
{
	sum++;
}

ALONE static void throw_inner(int levels)
{
	if (levels == 0)
		longjmp(inner, 1);
	if (levels > 0)
		throw_inner(levels - 1);
	sum++;
}

ALONE static void throw_outer(void)
{
	longjmp(outer, 1);
}

ALONE static void nested_inner(void)
{
	if (!setjmp(inner))
		throw_inner(2);
	throw_outer();
}

ALONE static void nested_outer(void)
{
	if (!setjmp(outer))
		nested_inner();
	landed();
}

ALONE static void setjmp_in_loop(void)
{
	volatile int i;

	for (i = 0; i < 300; i++) {
		if (!setjmp(inner))
			throw_inner(1);
		landed();
	}
}

ALONE static void retries(void)
{
	volatile int tries = 0;

	if (setjmp(inner))
		landed();
	if (tries++ < 200)
		throw_inner(4);
}

ALONE static void overwriter(void)
{
	if (!setjmp(inner))
		throw_inner(1);
	landed();
}

ALONE static void throw_copy(int levels)
{
	if (levels == 0)
		longjmp(copy, 1);
	if (levels > 0)
		throw_copy(levels - 1);
	sum++;
}

/* The copy is good when the buffer that it was taken of is not any longer. */
ALONE static void copied(void)
{
	if (!setjmp(inner)) {
		__builtin_memcpy(copy, inner, sizeof(copy));
		overwriter();
		throw_copy(3);
	}
	landed();
}

ALONE static void throw_pointer(void)
{
	longjmp(*pointer, 1);
}

ALONE static void heap_buffer(void)
{
	pointer = malloc(sizeof(*pointer));
	if (!setjmp(*pointer))
		throw_pointer();
	free(pointer);
	landed();
}

ALONE static void level_three(void)
{
	if (!setjmp(copy))
		throw_outer();
	sum++;
}

ALONE static void level_two(void)
{
	if (!setjmp(inner))
		level_three();
	sum++;
}

ALONE static void skips_inner(void)
{
	if (!setjmp(outer))
		level_two();
	landed();
}

ALONE static void by_longjmp(void)
{
	longjmp(outer, 2);
}

ALONE static void by_underscore(void)
{
	_longjmp(outer, 3);
}

ALONE static void by_signal_jump(void)
{
	siglongjmp(signal_place, 4);
}

ALONE static void by_zero(void)
{
	longjmp(outer, 0);
}

ALONE static void spellings(void)
{
	if (!_setjmp(outer))
		by_longjmp();
	landed();
	if (!setjmp(outer))
		by_underscore();
	landed();
	if (!sigsetjmp(signal_place, 0))
		by_signal_jump();
	landed();
	if (!sigsetjmp(signal_place, 1))
		by_signal_jump();
	landed();
	switch ((setjmp)(outer)) {
	case 0:
		by_zero();
		break;
	case 1:
		landed();
		break;
	default:
		abort();
	}
}

static inline __attribute__((always_inline)) void inline_thrower(void)
{
	sum++;
	longjmp(inner, 1);
}

ALONE static void host(void)
{
	inline_thrower();
}

/* Lies in the catcher's own frame on the stack, and yet is left by the jump. */
static inline __attribute__((always_inline)) void inline_body(void)
{
	sum++;
	throw_inner(1);
	sum++;
}

ALONE static void inline_between(void)
{
	if (!setjmp(inner))
		inline_body();
	landed();
}

INLINED void attempt(void)
{
	if (!setjmp(inner))
		host();
	landed();
}

ALONE static void inline_catcher(void)
{
	attempt();
	landed();
}

ALONE static void allocating_thrower(void)
{
	void *block = malloc(opaque(24));

	pointer = block;
	longjmp(inner, 1);
}

/* The blocks belong to the thrower and, after the jump, to the catcher. */
ALONE static void allocates(void)
{
	if (!setjmp(inner))
		allocating_thrower();
	free(pointer);
	pointer = malloc(opaque(40));
	free(pointer);
}

int main(void)
{
	int i;

	for (i = 0; i < 100; i++)
		nested_outer();
	setjmp_in_loop();
	retries();
	for (i = 0; i < 100; i++) {
		copied();
		heap_buffer();
		skips_inner();
		spellings();
		inline_catcher();
		inline_between();
		allocates();
	}
	return 0;
}
