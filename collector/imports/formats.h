/* SPDX-License-Identifier: MIT */
/* The contract of a format that can be imported: a function that puts stacks into a
 * builder. Must not print or store. */
#pragma once

#include "collector/imports/builder.h"
#include "collector/imports/source.h"

/* What one number of a format without units is. */
struct import_unit {
	enum builder_value value;
	int64_t scale; /* of the number, in ns, bytes or 1; of samples, what each stands
			  for */
};

/* Beside the stacks. */
struct import_head {
	uint64_t started_ns, duration_ns; /* 0: not known */
	const char *executable;		  /* borrowed from the builder; NULL: not known */
	uint64_t label_count;		  /* ignored */
	char ignored_types[256];
};

struct import_format {
	const char *name;
	bool needs_unit;
	/* May change what is in source. unit: what was asked for, when it is needed. 0,
	 * or -EBADMSG with the end of a sentence that the file's name begins. */
	int (*read)(struct builder *builder, struct source *source,
		    const struct import_unit *unit, struct import_head *ret, char *error,
		    size_t error_size);
};

extern const struct import_format import_folded;
extern const struct import_format import_pprof;
