/* SPDX-License-Identifier: MIT */
/* For user_lines.cpp, as a header of the library: a template that is static has no weak
 * symbol. */
#pragma once

#include <cstddef>

template <class T> static __attribute__((noinline)) T *statically_made(size_t count)
{
	return new T[count];
}
