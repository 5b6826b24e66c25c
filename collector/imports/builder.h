/* SPDX-License-Identifier: MIT */
/*
 * A run that is put together from stacks with numbers instead of a spool. What the stacks
 * do not tell is left unknown. Must not know formats.
 *
 * Use: builder_begin(); for each stack builder_function() and builder_path() from its
 * root to its leaf, and builder_add(); builder_finish(). Then run is as ingest_load()
 * leaves it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/ingest/ingest.h"
#include "common/base/arena.h"
#include "common/base/intern.h"
#include "common/base/strbuf.h"

/* What a stack can have of its own. Times are ns. */
enum builder_value {
	BUILDER_SAMPLES, /* how often it was found */
	BUILDER_CALLS,
	BUILDER_WALL, /* else the three below it are all there is */
	BUILDER_CPU,
	BUILDER_READY,
	BUILDER_BLOCKED,
	BUILDER_ALLOC_COUNT,
	BUILDER_ALLOC_BYTES,
	BUILDER_LIVE_COUNT,
	BUILDER_LIVE_BYTES,
	BUILDER_AT_PEAK_BYTES,
	BUILDER_VALUES,
	BUILDER_NO_VALUE = BUILDER_VALUES
};

/* Texts are valid UTF-8; NULL: not known. */
struct builder_function {
	const char *name, *linkage_name, *file, *module, *build_id;
	uint32_t line;	 /* of the definition; 0: not known */
	bool is_address; /* it has no name: name says where it is */
};

struct builder {
	struct ingest run;
	struct intern keys;    /* of functions */
	struct intern modules; /* likewise */
	struct segment_module **own_modules;
	struct arena texts;
	struct strbuf key;
	int64_t sums[BUILDER_VALUES];
	int64_t sample_ns; /* what one of the samples stands for; 0: the values tell */
	uint64_t stack_count, folded_count;
	bool is_over; /* there are more functions than fit: the rest was left out */
};

/* Of memory that is zero. */
void builder_begin(struct builder *builder);
void builder_done(struct builder *builder);

/* The number of the function; texts are copied. */
uint32_t builder_function(struct builder *builder, const struct builder_function *from);
/* The path of the function below parent (0: a root); parent itself where there is no room
 * for more. */
uint32_t builder_path(struct builder *builder, uint32_t parent, uint32_t function);
/* Adds to a path that is not 0, at a line of its function (0: not known). Values are not
 * negative. recording: how the path's time was found, of a recording of ours. */
void builder_add(struct builder *builder, uint32_t path,
		 const int64_t values[BUILDER_VALUES], uint32_t line,
		 enum segment_recording recording);
/* What belongs to all of it: when it began (0: not known), how long it took (0: not
 * known), label, the program. 0, or -EBADMSG: the numbers are larger than can be. */
int builder_finish(struct builder *builder, uint64_t started_ns, uint64_t duration_ns,
		   const char *label, const char *executable, char *error,
		   size_t error_size);
/* A fact for the table trust. */
void builder_fact(struct builder *builder, const char *name, uint64_t value,
		  const char *text);
/* Nobody counted calls: values come from samples. */
bool builder_is_sampled(const struct builder *builder);
