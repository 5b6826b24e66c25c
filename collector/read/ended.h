/* SPDX-License-Identifier: MIT */
/*
 * The segment files of images that have ended, packed one behind the other into one file.
 * Runs on: writing: the collector's main thread; reading: one thread at a time. Must not
 * believe a number of the file; lose an image: it is in here before its file is removed.
 *
 * OUTPUT-spool/TOKEN/ended is a struct ended_header and any number of struct
 * ended_record, each followed by packed_bytes of a compressed image (sparse.h). It is
 * appended to with write() and mapped by nobody. Who dies between a record and the
 * removal of the file leaves the image twice: it is known by the name and the start of
 * its first process. Who dies in the middle of a record leaves the file, and a record
 * that is none.
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
	uint64_t start_ticks; /* of the image's first process */
	uint64_t name_hash;   /* of the name of its file, hash_text() */
	uint32_t checksum;    /* of the packed bytes: crc32() */
	uint32_t unused;
};

struct ended_writer {
	int fd; /* -1: no file yet */
	uint64_t token, size;
};

/* Where an image is. */
struct ended_place {
	uint64_t at; /* of its record in the file, never 0 */
	uint64_t start_ticks, name_hash;
};

/* Appends an image, by whose start and name it is known again; sets place->at. 0, or
 * -errno: the file is as it was. */
int ended_append(struct ended_writer *writer, int directory_fd, struct ended_place *place,
		 const struct sparse *image);

struct ended {
	int fd;
	uint64_t end; /* of the records listed */
	struct ended_place *places;
	size_t count;
	struct sparse image; /* the one that was read last, at: */
	uint64_t image_at;
};

/* Opens the file and lists what is in it; without one nothing is. 0, or -errno. Close in
 * any case. */
int ended_open(struct ended *ret, int directory_fd, uint64_t token);
void ended_close(struct ended *ended);

/* Lists what has been added since. */
void ended_refresh(struct ended *ended);

/* The image of a record, until the next one is asked for. NULL: it is damaged. */
const struct sparse *ended_image(struct ended *ended, uint64_t at);
