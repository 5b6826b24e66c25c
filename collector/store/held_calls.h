/* SPDX-License-Identifier: MIT */
/* Names of held directories for SQLite, and what its VFS does with them. */
#pragma once

#include "collector/store/held.h"

struct stat;

/* The name under which SQLite opens name in the file's directory. */
void held_path(const struct held_file *file, const char *name, char *ret, size_t size);
int held_calls_open(const char *path, int flags, struct sqlite3 **ret);
/* 0, or -EACCES with the reason in words that follow the file's name. */
int held_check(const struct stat *status, enum held_use use, char *reason, size_t size);
