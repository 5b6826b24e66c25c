/* SPDX-License-Identifier: MIT */
/* The files of a run: its control file, the segment file of this program image, and how
 * such files are created and mapped. Runs on: the constructor. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shim/boot/config.h"
#include "shim/image/spool.h"

/* Facts about the process and the machine, as text. Runs on: the constructor. */

/* Reads a small text file without its final newline. 0, or -errno; "" then. */
int facts_line(const char *path, char *text, size_t size);

/* A path made absolute, with room for the names below it. 0, or -errno. */
int facts_absolute(const char *given, char *path, size_t size);

/* The files of a run that are mapped. Runs on: the constructor. */

/* A sparse file of the run that is to be created and mapped. */
struct new_file {
	const char *name;
	uint64_t file_size, map_size;
	uint64_t reserved_size; /* so much of it can be touched */
};

/* Creates a file in the run's directory and maps it. 0, or -errno: nothing is left. */
int new_file_map(const struct spool *spool, const struct new_file *file, void **ret);

/* A limit on file size or address space asks for a smaller file and smaller slots. Below
 * what even those need: the name of the limit, NULL otherwise. */
const char *new_file_sizes(uint64_t *ret_slot_size, uint64_t *ret_slot_limit);

/* The file in which the collector tells what it has found out for the run
 * (common/segment_control.h). Runs on: the constructor. */

/* Makes it, for a run that begins. 0 or -errno. */
int control_file_create(const struct spool *spool, uint64_t token);

/* Maps a file of the run that is to have so many bytes. 0 or -errno. */
int run_file_map(const struct spool *spool, const char *name, size_t size, int protection,
		 void **ret);

/* Maps it for reading: process_facts.control. 0 or -errno. */
int control_file_map(const struct spool *spool, uint64_t token);

/* The segment file of this program image. Runs on: the constructor. */

/* Creates it in the run's directory, and this process's slot in it: the recording begins.
 * 0, or -errno with a message in `error`. */
int image_file_begin(const struct config *config, const struct spool *spool, char *error,
		     size_t error_size);
