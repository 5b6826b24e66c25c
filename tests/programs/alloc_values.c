/* SPDX-License-Identifier: MIT */
/* What the functions of the malloc family give back and leave in errno, in every corner
 * the program can see: its output must be the same with and without the shim. */
// expect-sql: SELECT SUM(alloc_count), SUM(live_count) FROM allocation_sites WHERE name =
//     'succeed' => $succeeded|0
// expect-sql: SELECT COUNT(*) FROM allocation_sites WHERE name IN ('fail', 'misalign') => 0
// expect-sql: SELECT alloc_count - free_count FROM runs => 0
#include "truth.h"
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KEPT 42 /* no error has this number */

static int succeeded;

/* printf would allocate a buffer of its own. */
__attribute__((format(printf, 1, 2), no_instrument_function)) static void
report(const char *format, ...)
{
	char line[200];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (write(STDOUT_FILENO, line, (size_t)length) < 0)
		_exit(1);
}

/* What malloc_usable_size says is what was asked for, rounded up to the heap's units, a
 * remainder too small to be split off, or whole pages, or the whole of a mapping that was
 * made larger to be aligned. Which of these depends on what else lies in the heap, and the
 * shim has some blocks there, and on the address of the mapping. */
UNTRACED int fits(void *block, size_t size, size_t alignment)
{
	size_t usable = malloc_usable_size(block), room = 24 > size ? 24 : size;

	return usable >= room && usable <= room + alignment + (size > 60000 ? 4096 : 48);
}

UNTRACED void look_at(const char *what, size_t size, void *block, size_t alignment)
{
	int after = errno;

	report("%s(%zu): %s, aligned %d, fits %d, errno %d\n", what, size,
	       block ? "a block" : "null", (uintptr_t)block % alignment == 0,
	       fits(block, size, alignment), after);
	errno = KEPT;
	free(block);
	report("  free: errno %d\n", errno);
	succeeded += block != NULL;
	errno = KEPT;
}

ALONE static void succeed(size_t size)
{
	void *block = NULL;
	int result;

	errno = KEPT;
	look_at("malloc", size, malloc(size), 16);
	look_at("calloc", size, calloc(1, size), 16);
	look_at("calloc", size, calloc(size, 1), 16);
	look_at("realloc", size, realloc(NULL, size), 16);
	look_at("reallocarray", size, reallocarray(NULL, size, 1), 16);
	look_at("valloc", size, valloc(size), 4096);
	look_at("pvalloc", size, pvalloc(size), 4096);
	for (size_t alignment = 8; alignment <= 1 << 16; alignment *= 4) {
		look_at("memalign", size, memalign(alignment, size), alignment);
		look_at("aligned_alloc", size, aligned_alloc(alignment, size), alignment);
		result = posix_memalign(&block, alignment, size);
		report("posix_memalign gives %d\n", result);
		look_at("posix_memalign", size, block, alignment);
	}
}

UNTRACED void look_at_failure(const char *what, void *block)
{
	report("%s: %s, errno %d\n", what, block ? "a block" : "null", errno);
	errno = KEPT;
}

ALONE static void fail(size_t huge)
{
	void *block = (void *)0x123;
	int result;

	errno = KEPT;
	look_at_failure("malloc", malloc(huge));
	look_at_failure("calloc", calloc(huge, 1));
	look_at_failure("calloc", calloc(huge / 2, 5));
	look_at_failure("calloc", calloc(opaque(SIZE_MAX), opaque(SIZE_MAX)));
	look_at_failure("realloc", realloc(NULL, huge));
	look_at_failure("reallocarray", reallocarray(NULL, huge / 2, 5));
	look_at_failure("valloc", valloc(huge));
	look_at_failure("pvalloc", pvalloc(huge));
	look_at_failure("memalign", memalign(64, huge));
	look_at_failure("aligned_alloc", aligned_alloc(64, huge));
	result = posix_memalign(&block, 64, huge);
	report("posix_memalign: %d, %d, errno %d\n", result, block == (void *)0x123,
	       errno);
}

/* What is no power of two, or too small, or too large. memalign and aligned_alloc of this
 * libc round some of it up, so what they give is only compared. */
ALONE static void misalign(size_t size)
{
	static const size_t wrong[] = {0, 1, 2, 3, 4, 7, 9, 24, 4097, (size_t)1 << 63};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		void *block = (void *)0x123;
		int result;

		errno = KEPT;
		result = posix_memalign(&block, wrong[i], size);
		report("posix_memalign %zu: %d, %d, errno %d\n", wrong[i], result,
		       block == (void *)0x123, errno);
	}
	look_at_failure("memalign", memalign(opaque((size_t)1 << 63), opaque(10)));
	look_at_failure("memalign", memalign(opaque(((size_t)1 << 63) + 1), opaque(10)));
	look_at_failure("aligned_alloc",
			aligned_alloc(opaque((size_t)1 << 63), opaque(10)));
}

/* Roundings of memalign: alignments that are no powers of two. */
ALONE static void round_up(void)
{
	errno = KEPT;
	look_at("memalign", 100, memalign(opaque(0), 100), 16);
	look_at("memalign", 100, memalign(opaque(24), 100), 32);
	look_at("aligned_alloc", 100, aligned_alloc(opaque(24), 100), 8);
}

UNTRACED char *same(char *block, char **ret_other)
{
	*ret_other = block;
	return (char *)opaque((uintptr_t)block);
}

/* A block that grows and shrinks, in place and not; one whose realloc fails. */
ALONE static void resize(void)
{
	char *block = malloc(opaque(10)), *failed, *other;
	size_t size = 10;

	block[0] = 'a';
	for (int i = 0; i < 40; i++) {
		size = size * 7919 % 300000 + 1;
		errno = KEPT;
		block = realloc(block, size);
		report("realloc(%zu): '%c', fits %d, errno %d\n", size, block[0],
		       fits(block, size, 16), errno);
	}
	block[size - 1] = 'z';
	/* the compiler need not know that a failed realloc leaves the block */
	block = same(block, &other);
	failed = realloc(other, opaque(SIZE_MAX / 2));
	report("failed: %d, errno %d, '%c'\n", failed == NULL, errno, block[size - 1]);
	block = same(block, &other);
	failed = reallocarray(other, opaque(SIZE_MAX / 2), opaque(3));
	report("failed: %d, errno %d, '%c'\n", failed == NULL, errno, block[size - 1]);
	errno = KEPT;
	report("realloc to 0: %d, errno %d\n", realloc(block, opaque(0)) == NULL, errno);
}

int main(void)
{
	static const size_t sizes[] = {0,   1,	  7,	16,    24,     25,     40,
				       100, 1000, 1032, 65000, 131072, 200000, 1 << 20};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		succeed(opaque(sizes[i]));
	report("succeeded=%d\n", succeeded);
	fail(opaque(SIZE_MAX / 2 + 10));
	fail(opaque(SIZE_MAX - 8));
	misalign(opaque(10));
	round_up();
	resize();
	errno = KEPT;
	report("nothing: usable %zu, errno %d\n", malloc_usable_size(NULL), errno);
	return 0;
}
