/* SPDX-License-Identifier: MIT */
/*
 * A profile that another program wrote, stored as a run. Must not know which file it goes
 * into is anything but a run.db: store.h does.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct import_request {
	const char *format; /* "folded" or "pprof" */
	const char *input;  /* a file; "-": standard input */
	const char *output; /* the run.db, made when it is not there */
	const char *label;  /* of the run; NULL: the file's name */
	/* What one of the numbers of a format without units is worth: see
	 * import_unit_words(); NULL: not given. */
	const char *unit;
};

/* What became a run, and what did not. */
struct import_told {
	int64_t run_id;
	uint64_t stack_count, function_count, path_count;
	uint64_t folded_count;	 /* stacks that were cut at the limit of paths */
	uint64_t label_count;	 /* of samples, ignored */
	char ignored_types[256]; /* of samples; empty: none */
	int is_sampled;		 /* how often functions were called is not known */
};

/* "folded, pprof" */
const char *import_format_words(void);
/* "ns, us, ..." */
const char *import_unit_words(void);

/* 0, or with one sentence in error: -EINVAL when request makes no sense, -EBADMSG when
 * the profile cannot be used, another -errno when something cannot be read or written. */
int import_profile(const struct import_request *request, struct import_told *ret,
		   char *error, size_t error_size);
