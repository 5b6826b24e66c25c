// SPDX-License-Identifier: MIT
// Where functions of renames.cpp go to.
#pragma once

#ifdef AFTER
CALLED void weigh(int value)
{
	sink = sink + 3 * value;
}

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
