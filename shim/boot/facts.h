/* SPDX-License-Identifier: MIT */
/* Facts about the process and the machine, as text. Runs on: the constructor. */
#pragma once

#include <stddef.h>

/* Reads a small text file without its final newline. 0, or -errno; "" then. */
int facts_line(const char *path, char *text, size_t size);

/* A path made absolute, with room for the names below it. 0, or -errno. */
int facts_absolute(const char *given, char *path, size_t size);
