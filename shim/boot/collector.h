/* SPDX-License-Identifier: MIT */
/* The collector, started beside the program. Runs on: the constructor. */
#pragma once

#include <stddef.h>

#include "shim/boot/config.h"

/* Starts profshim-collect, detached. Failure leaves a note: -ENOENT when it was not
 * found, the error of clone or exec otherwise. 0 also where none is wanted. */
int collector_start(const struct config *config);
