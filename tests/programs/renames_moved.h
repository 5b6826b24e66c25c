// SPDX-License-Identifier: MIT
// Where a function of renames.cpp goes to.
#pragma once

#ifdef AFTER
namespace util
{
CALLED void checksum(int value)
{
	void *block = malloc(16);

	sink = sink + value + (block != nullptr);
	free(block);
}
} // namespace util
#endif
