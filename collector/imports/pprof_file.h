/* SPDX-License-Identifier: MIT */
/*
 * The tables of a pprof profile (profile.proto), by their numbers: strings, functions,
 * locations, what samples have. Must not take a number in it for one that is there.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/imports/wire.h"
#include "common/base/map.h"
#include "common/base/strbuf.h"

/* Of each kind. */
#define PPROF_RECORDS_MOST (1u << 22)
#define PPROF_NONE UINT32_MAX

/* Numbers of strings; 0 is the empty one. */
struct pprof_type {
	uint64_t type, unit;
};

struct pprof_mapping {
	uint64_t filename, build_id;
};

struct pprof_function {
	uint64_t name, system_name, filename;
	int64_t start_line;
};

struct pprof_line {
	uint32_t function; /* index, PPROF_NONE: there is none; until all are read, an id
			    */
	uint64_t function_id;
	int64_t line;
};

struct pprof_location {
	uint64_t mapping_id, address;
	uint32_t first_line, line_count; /* inlined ones first */
};

struct pprof_file {
	struct wire *strings;
	struct pprof_type *types, period_type;
	struct pprof_mapping *mappings;
	struct pprof_function *functions;
	struct pprof_location *locations;
	struct pprof_line *lines;
	size_t string_count, type_count, mapping_count, function_count, location_count,
		line_count, sample_count;
	/* from the profile's own numbers to indices */
	struct map mapping_ids, function_ids, location_ids;
	int64_t time_ns, duration_ns, period;
};

enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION,
	PPROF_FUNCTION,
	PPROF_STRING,
	PPROF_TIME = 9,
	PPROF_DURATION,
	PPROF_PERIOD_TYPE,
	PPROF_PERIOD,
};

/* Reads the tables, borrowed from data. 0, or -EBADMSG with why not. */
int pprof_file_read(struct pprof_file *ret, const void *data, size_t size, char *error,
		    size_t error_size);
void pprof_file_done(struct pprof_file *file);

/* The string as valid UTF-8, in the buffer; "" when there is no such number. */
const char *pprof_file_text(const struct pprof_file *file, uint64_t number,
			    struct strbuf *buffer);
int pprof_file_is(const struct pprof_file *file, uint64_t number, const char *text);
