/* SPDX-License-Identifier: MIT */
/*
 * What the process has read and written by the kernel's own count (rchar, wchar), less
 * what was before us, and what we read ourselves: for comparison with what calls of libc
 * were seen to move. Runs on: any context where the gate has been passed. A forked child
 * begins at nothing, as the kernel's count does.
 *
 * The threads' counts are added up: that of the process has those of children, too, that
 * it has waited for.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"
#include "shim/core/syscall.h"

struct own_io {
	uint64_t read_bytes, write_bytes;
};

/* What was until now is not the program's. Without it, threads that end are not asked. */
void own_io_begin(void);

/* The calling thread ends. */
void own_io_end_thread(void);

/* Adds the count of another thread. Returns -1 when it cannot be told. */
int own_io_add_thread(struct own_io *to, int32_t tid);

/* Adds those of the calling thread and of the threads that have ended, and takes away
 * what is ours, of all. Likewise. */
int own_io_add_rest(struct own_io *to);

hidden void own_io_count(long bytes);

static inline long own_io_read(long file, void *to, size_t size)
{
	long got = SYSCALL(SYS_read, file, to, size, 0, 0, 0);

	own_io_count(got);
	return got;
}

static inline long own_io_pread(long file, void *to, size_t size, uint64_t at)
{
	long got = SYSCALL(SYS_pread64, file, to, size, at, 0, 0);

	own_io_count(got);
	return got;
}

/* The beginning of a file of /proc, as much as has room. Its size, or -errno. pread()
 * does nothing to a pipe or a socket that gets the descriptor's number meanwhile. */
long own_io_read_file(const char *path, char *text, size_t size);

/* The second of the numbers that such a file begins with; UINT64_MAX: it is not to be
 * had. */
uint64_t own_io_second_number(const char *path);

/*
 * What is mapped where, by /proc/self/maps: 60 us for 300 mappings. Runs on: traced
 * threads, any context; slow paths only, the gate entered. Must not call libc, or keep a
 * descriptor.
 */

struct maps_line {
	uintptr_t low, high;
	uint64_t offset;
	const char *file; /* device and inode */
	uint32_t file_length;
	char *path; /* or "[stack]" and the like; empty: none */
	int is_cut; /* the path is longer */
};

/* Shows the lines, in ascending order, until look() returns something else than 0, which
 * is returned then; 0: all, or -errno: they cannot be read. */
typedef int maps_look(void *data, const struct maps_line *line);
int maps_each(maps_look *look, void *data);
