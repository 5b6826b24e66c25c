/* SPDX-License-Identifier: MIT */
/* Libraries that lie beside the program, wherever that is. */
#pragma once

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

__attribute__((no_instrument_function)) static inline void *load_beside(const char *name)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);

	if (length < 0)
		return NULL;
	path[length] = 0;
	strcpy(strrchr(path, '/') + 1, name);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}
