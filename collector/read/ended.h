/* SPDX-License-Identifier: MIT */
/*
 * The segment files of images that have ended, packed one after the other into one file.
 * Runs on: writing: the collector's main thread; reading: one thread at a time. Must not
 * trust a number in the file, or lose an image: it must be in here before its own file is
 * removed.
 *
 * OUTPUT-spool/TOKEN/ended is a struct ended_header and any number of struct
 * ended_record, each followed by packed_bytes of a compressed image (sparse.h). It is
 * appended to with write() and never mapped. A writer that dies between a record and the
 * removal of the file leaves the image twice, which its file name and the start of its
 * first process reveal. One that dies within a record leaves the file, and an invalid
 * record.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/sparse.h"

#define ENDED_NAME "ended"

struct ended_header {
	uint64_t magic, token;
};

struct ended_record {
	uint64_t magic;
	uint64_t packed_bytes, flat_bytes;
	uint64_t start_ticks; /* start of the image's first process */
	uint64_t name_hash;   /* hash_text() of its file's name */
	uint32_t checksum;    /* crc32() of the packed bytes */
	uint32_t unused;
};

struct ended_writer {
	int fd; /* -1: no file yet */
	uint64_t token, size;
};

/* The place of an image. */
struct ended_place {
	uint64_t at; /* offset of its record in the file, never 0 */
	uint64_t start_ticks, name_hash;
};

/* Appends an image, which its start and name identify later; sets place->at. 0, or -errno
 * with the file unchanged. */
int ended_append(struct ended_writer *writer, int directory_fd, struct ended_place *place,
		 const struct sparse *image);

struct ended {
	int fd;
	uint64_t end; /* end of the records listed */
	struct ended_place *places;
	size_t count;
	struct sparse image; /* the image read last, of the record at: */
	uint64_t image_at;
};

/* Opens the file and lists its records; without a file there are none. 0, or -errno.
 * Close in any case. */
int ended_open(struct ended *ret, int directory_fd, uint64_t token);
void ended_close(struct ended *ended);

/* Lists the records added since. */
void ended_refresh(struct ended *ended);

/* The image of a record, borrowed until the next call. NULL: it is damaged. */
const struct sparse *ended_image(struct ended *ended, uint64_t at);
