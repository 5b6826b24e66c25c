/* SPDX-License-Identifier: MIT */
/* Types and units by their names. */
#include "collector/imports/pprof_types.h"

/* Names of types as Go, perf's converters, tcmalloc and we write them; of what the same
 * thing is told twice (inuse and alloc of a heap) each has its own place. */
static const struct {
	const char *name;
	enum builder_value value;
	bool is_time;
} known_types[] = {
	{"samples", BUILDER_SAMPLES, false},
	{"sample", BUILDER_SAMPLES, false},
	{"contentions", BUILDER_SAMPLES, false},
	{"calls", BUILDER_CALLS, false},
	{"wall", BUILDER_WALL, true},
	{"time", BUILDER_WALL, true},
	{"cpu", BUILDER_CPU, true},
	{"ready", BUILDER_READY, true},
	{"blocked", BUILDER_BLOCKED, true},
	{"delay", BUILDER_BLOCKED, true},
	{"alloc_objects", BUILDER_ALLOC_COUNT, false},
	{"allocations", BUILDER_ALLOC_COUNT, false},
	{"alloc_space", BUILDER_ALLOC_BYTES, false},
	{"bytes", BUILDER_ALLOC_BYTES, false},
	{"inuse_objects", BUILDER_LIVE_COUNT, false},
	{"objects", BUILDER_LIVE_COUNT, false},
	{"inuse_space", BUILDER_LIVE_BYTES, false},
	{"space", BUILDER_LIVE_BYTES, false},
	{"live", BUILDER_LIVE_BYTES, false},
	{"at_peak", BUILDER_AT_PEAK_BYTES, false},
};

static const struct {
	const char *name;
	int64_t ns;
} time_units[] = {
	{"nanoseconds", 1},	   {"ns", 1},
	{"microseconds", 1000},	   {"us", 1000},
	{"milliseconds", 1000000}, {"ms", 1000000},
	{"seconds", 1000000000},   {"s", 1000000000},
};

int64_t pprof_time_scale(const struct pprof_file *file, uint64_t unit)
{
	for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++)
		if (pprof_file_is(file, unit, time_units[i].name))
			return time_units[i].ns;
	return 0;
}

struct pprof_place pprof_place_of(const struct pprof_file *file,
				  const struct pprof_type *type)
{
	int64_t ns = pprof_time_scale(file, type->unit);

	for (size_t i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++)
		if (pprof_file_is(file, type->type, known_types[i].name) &&
		    known_types[i].is_time == (ns != 0))
			return (struct pprof_place){known_types[i].value, ns ? ns : 1};
	return (struct pprof_place){BUILDER_NO_VALUE, 0};
}
