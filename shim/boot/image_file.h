/* SPDX-License-Identifier: MIT */
/* The segment file of this program image. Runs on: the constructor. */
#pragma once

#include <stddef.h>

#include "shim/boot/config.h"
#include "shim/image/spool.h"

/* Creates it in the run's directory, and this process's slot in it: the recording begins.
 * 0, or -errno with a message in `error`. */
int image_file_begin(const struct config *config, const struct spool *spool, char *error,
		     size_t error_size);
