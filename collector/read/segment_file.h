/* SPDX-License-Identifier: MIT */
/*
 * Checked access to one segment file. Must not map the file (a truncation would raise
 * SIGBUS) or believe a number in it before it is checked against the file's size.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/arrays.h"
#include "common/segment.h"
#include "common/base/sparse.h"

/* Ends a string that was read and may not have an end. */
#define END_STRING(array) ((array)[sizeof(array) - 1] = 0)

struct segment_reader {
	int fd;
	const struct sparse *image; /* borrowed, instead of the file; NULL: the file */
	uint32_t slot_count;	    /* clipped: slots [1, slot_count) may be in use */
	uint32_t name_slot;	    /* slot of the names of regions; 0: none */
	int is_reused;		    /* slots pass from process to process */
	uint64_t size, slot_size;
	uint64_t allocated_bytes; /* on disk */
};

/* Opens a file of the run with this token. 0; -errno of the open; -EAGAIN: its creation
 * goes on; -EINVAL: not a segment file of this run and version. Close with
 * segment_reader_close(). */
int segment_reader_open(struct segment_reader *ret, int directory_fd, const char *name,
			uint64_t token);
/* The same for a file's image, which is borrowed. */
int segment_reader_open_image(struct segment_reader *ret, const struct sparse *image,
			      uint64_t token);
void segment_reader_close(struct segment_reader *reader);

/* Reads the number of slots again, as the writer may have added some. 0 or -EINVAL. */
int segment_reader_refresh(struct segment_reader *reader);

/* The slot table's entry of a slot < slot_count. 0, or -EINVAL: the file is cut off. */
int segment_reader_slot(const struct segment_reader *reader, uint32_t slot,
			struct segment_slot *ret);

/* The entries of `count` slots from `first` on. Returns how many there are. */
uint32_t segment_reader_slots(const struct segment_reader *reader, uint32_t first,
			      uint32_t count, struct segment_slot *ret);

/* Reads size bytes at offset in a slot. 0, or -EINVAL: outside of slot or file. */
int segment_reader_bytes(const struct segment_reader *reader, uint32_t slot,
			 uint64_t offset, void *ret, size_t size);

/* Reads a process slot's header consistently: slots change hands. 0, or -EINVAL. */
int segment_reader_process(const struct segment_reader *reader, uint32_t slot,
			   struct segment_process *ret);

/*
 * The entries [first, count) of an array that arrays_read() has checked, clipped to what
 * is stored: a damaged count must not make us read terabytes of holes. Owned by the
 * caller (free), NULL when there are none.
 */
void *segment_reader_array(const struct segment_reader *reader, uint32_t slot,
			   enum array_number number, const struct segment_array *array,
			   uint32_t *ret_count);

/* The same of an array that is described in the header, a copy of the slot's. */
void *segment_reader_entries(const struct segment_reader *reader, uint32_t slot,
			     enum array_number number, const void *header,
			     uint32_t *ret_count);
