/* SPDX-License-Identifier: MIT */
/* Every form of new and delete: the runtime's own call malloc, aligned_alloc and free, so
 * each is counted once; a failed one throws, or gives null, and counts for nothing. With an
 * alignment they round the size up to it. */
// flags: -Wno-unused-result -fsized-deallocation
// variants: lto
// expect-below: forms alloc_count => 12
// expect-below: forms alloc_bytes => 1200
// expect-below: forms live_bytes => 0
// expect-below: aligned_forms alloc_count => 8
// expect-below: aligned_forms alloc_bytes => 8960
// expect-below: aligned_forms live_bytes => 0
// expect-below: placed alloc_count => 0
// expect-below: own_class alloc_count => 1
// expect-below: own_class alloc_bytes => 1000
// expect-below: handled live_bytes => 0
// expect-below: failing live_bytes => 0
#include "truth.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <unistd.h>

static void report(const char *what, int number)
{
	char line[80];
	int length = std::snprintf(line, sizeof(line), "%s %d\n", what, number);

	if (write(STDOUT_FILENO, line, (size_t)length) < 0)
		_exit(1);
}

ALONE static void forms()
{
	for (int i = 0; i < 2; i++) {
		void *one = operator new(opaque(100)),
		     *many = operator new[](opaque(100)),
		     *quiet = operator new(opaque(100), std::nothrow),
		     *quiet_many = operator new[](opaque(100), std::nothrow),
		     *sized = operator new(opaque(100)),
		     *sized_many = operator new[](opaque(100));

		keep(one);
		keep(many);
		keep(quiet);
		keep(quiet_many);
		keep(sized);
		keep(sized_many);
		errno = 42;
		operator delete(one);
		operator delete[](many);
		operator delete(quiet, std::nothrow);
		operator delete[](quiet_many, std::nothrow);
		operator delete(sized, (size_t)100);
		operator delete[](sized_many, (size_t)100);
		report("delete keeps errno:", errno);
	}
	operator delete(nullptr);
	operator delete[](nullptr);
}

ALONE static void aligned_forms()
{
	constexpr std::align_val_t line{64}, page{4096};

	for (int i = 0; i < 2; i++) {
		void *one = operator new(opaque(128), line),
		     *many = operator new[](opaque(128), page),
		     *quiet = operator new(opaque(128), line, std::nothrow),
		     *quiet_many = operator new[](opaque(128), line, std::nothrow);

		report("aligned:", (uintptr_t)one % 64 == 0 &&
					   (uintptr_t)many % 4096 == 0 &&
					   (uintptr_t)quiet % 64 == 0 &&
					   (uintptr_t)quiet_many % 64 == 0);
		operator delete(one, (size_t)128, line);
		operator delete[](many, page);
		operator delete(quiet, line, std::nothrow);
		operator delete[](quiet_many, line, std::nothrow);
	}
}

ALONE static void placed()
{
	alignas(16) char room[16];
	int *number = new (room) int(7);

	report("placed:", *number);
}

/* Its storage comes from malloc by its own operator. */
struct Own {
	char bytes[1000];
	void *operator new(size_t size)
	{
		return std::malloc(size);
	}
	void operator delete(void *block)
	{
		std::free(block);
	}
};

ALONE static void own_class()
{
	Own *own = new Own;

	keep(own);
	delete own;
}

static void *reserve;
static int handled_count;

/* Frees something and lets new try again; the second time it gives up. */
static void no_memory()
{
	if (++handled_count == 2)
		std::set_new_handler(nullptr);
	std::free(reserve);
	reserve = nullptr;
}

ALONE static void handled()
{
	reserve = std::malloc(opaque(500));
	std::set_new_handler(no_memory);
	report("given up:", operator new(opaque(SIZE_MAX / 2), std::nothrow) == nullptr);
	report("handler calls:", handled_count);
}

ALONE static void failing()
{
	int caught = 0;

	try {
		keep(operator new(opaque(SIZE_MAX / 2)));
	} catch (const std::bad_alloc &) {
		caught++;
	}
	try {
		keep(operator new[](opaque(SIZE_MAX / 2), std::align_val_t{128}));
	} catch (const std::bad_alloc &) {
		caught++;
	}
	report("caught:", caught);
	report("null:", operator new[](opaque(SIZE_MAX / 2), std::nothrow) == nullptr);
}

int main()
{
	forms();
	aligned_forms();
	placed();
	own_class();
	handled();
	failing();
	return 0;
}
