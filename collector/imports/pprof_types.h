/* SPDX-License-Identifier: MIT */
/* Which kinds of samples have a place here, and which. Must not read samples. */
#pragma once

#include "collector/imports/builder.h"
#include "collector/imports/pprof_file.h"

struct pprof_place {
	enum builder_value value; /* BUILDER_NO_VALUE: ignored */
	int64_t scale;		  /* of its numbers, in ns, bytes or 1 */
};

struct pprof_place pprof_place_of(const struct pprof_file *file,
				  const struct pprof_type *type);
/* What a unit of time is in ns; 0: it is none. */
int64_t pprof_time_scale(const struct pprof_file *file, uint64_t unit);
