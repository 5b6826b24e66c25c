/* SPDX-License-Identifier: MIT */
/* For user_lines.cpp, as a header of the library: what is static has no weak symbol, be it
 * a template or not. */
#pragma once

#include <cstddef>

template <class T> static __attribute__((noinline)) T *statically_made(size_t count)
{
	return new T[count];
}

static inline __attribute__((noinline)) char *plainly_made(size_t count)
{
	return new char[count];
}
