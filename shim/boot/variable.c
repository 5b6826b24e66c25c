/* SPDX-License-Identifier: MIT */
/* A look-up that needs no libc. */
#include "shim/boot/variable.h"

#include <stddef.h>
#include <string.h>

const char *variable_find(char **environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++) {
		if (!strncmp(*environment, name, length) && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}
