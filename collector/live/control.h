/* SPDX-License-Identifier: MIT */
/*
 * Writes into a run's `control` (common/segment_control.h). Runs on: the collector's main
 * thread; nobody else writes there.
 */
#pragma once

#include <stdint.h>

#include "common/segment_control.h"

/* Maps [offset, offset + size) of a file, shared. Returns the start, or NULL: out of
 * memory, or too many mappings. */
void *shared_map(int fd, uint64_t offset, uint64_t size, int protection);
void shared_unmap(const void *start);

/* Was the file truncated, or the disk full, since it was mapped? */
int shared_map_is_lost(const void *start);

struct control {
	int fd;
	struct segment_control *shared;
	uint32_t answer_count, fitting_count; /* number published */
};

/* Opens the file of a run in its directory. 0; -EPERM: not a plain file of the
 * directory's owner; -EINVAL: damaged; or another -errno. Close after 0. */
int control_open(struct control *ret, int directory_fd, uint64_t token);
void control_close(struct control *control);

/* Publishes the result for an object; fills in where its fittings lie. 0; -E2BIG: too
 * many; -EIO: the file was truncated; or -errno: no space. */
int control_answer(struct control *control, const struct segment_answer *object,
		   const struct segment_fitting *fittings, uint32_t count);
