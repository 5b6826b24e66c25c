/* SPDX-License-Identifier: MIT */
/* Times as people write them in settings. Any thread, and the constructor of the shim. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* "100us", "2ms": whole numbers of ns, us, ms or s, above 0 and up to most_ns. Else
 * *ret_ns stays. */
static inline bool duration_read(const char *text, uint64_t most_ns, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || end == text || *text == '-' || !number)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name) && number <= most_ns / units[i].ns) {
			*ret_ns = number * units[i].ns;
			return true;
		}
	return false;
}
