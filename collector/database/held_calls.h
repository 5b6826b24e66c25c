/* SPDX-License-Identifier: MIT */
/* Names of held directories for SQLite, and what its VFS does with them. */
#pragma once

#include <stddef.h>

struct sqlite3;
struct stat;

enum held_use {
	HELD_READ,  /* anybody's file; nothing is created */
	HELD_WRITE, /* files of our own with one name */
};

struct held_file {
	int directory_fd;
	enum held_use use;
	char name[256];	  /* in the directory */
	char shown[4096]; /* as the user gave it */
};

/* The name under which SQLite opens name in the file's directory. */
void held_path(const struct held_file *file, const char *name, char *ret, size_t size);
int held_calls_open(const char *path, int flags, struct sqlite3 **ret);
/* 0, or -EACCES with the reason in words that follow the file's name. */
int held_check(const struct stat *status, enum held_use use, char *reason, size_t size);

/* Why the latest file that SQLite wanted was refused, in words that follow the file's
 * name ("run.db-journal belongs to alice ..."); "" when none was since held_connect(). */
const char *held_refusal(void);
