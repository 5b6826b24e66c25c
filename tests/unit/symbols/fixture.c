/* SPDX-License-Identifier: MIT */
/*
 * A program to be looked up, not run: names, lines and inlined calls that the tests know.
 * A comment "at: NAME" marks the line that a test asks for.
 */
#include <stdlib.h>

volatile int sink;
void *volatile kept;

__attribute__((noinline)) void *leaf(size_t size) /* at: leaf */
{
	void *block = malloc(size);

	kept = block;
	return block;
}

static inline __attribute__((always_inline)) void inner(int n)
{
	leaf((size_t)n); /* at: call of leaf */
	sink = n;
}

static inline __attribute__((always_inline)) void middle(int n)
{
	inner(n + 1); /* at: call of inner */
	sink = n;
}

__attribute__((noinline)) int outer(int n) /* at: outer */
{
	middle(n); /* at: call of middle */
	sink = n;
	return n;
}

static __attribute__((noinline)) int hidden(int n) /* at: hidden */
{
	sink = n;
	leaf(1); /* at: call in hidden */
	sink = n + 1;
	return sink;
}

int strong(int n) /* at: strong */
{
	sink = n;
	return n + sink;
}

extern int weak_name(int n) __attribute__((weak, alias("strong")));
extern int __prefixed_name(int n) __attribute__((alias("strong")));

#ifdef __clang__ /* has no functions inside functions */
#define around strong
#else
__attribute__((noinline)) int around(int n)
{
	__attribute__((noinline)) int nested(int m) /* at: nested */
	{
		sink = m + n;
		return sink;
	}

	sink = nested(n);
	return nested(n + 1);
}
#endif

#ifdef DROPPED
/* Nobody calls it, so the linker drops it, but not its lines: they are at addresses from
 * 0 on, one for each byte, among them those of the functions that stay. */
void dropped(void)
{
	__asm__(".rept 8192\n.loc 1 1\nnop\n.endr");
}
#endif

int main(int argc, char **argv)
{
	(void)argv;
	outer(argc);
	hidden(argc);
	weak_name(argc);
	__prefixed_name(argc);
	return around(argc);
}
