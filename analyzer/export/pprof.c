/* SPDX-License-Identifier: MIT */
/*
 * pprof's profile.proto, gzipped: each call path with all its measurements, by thread
 * and process. A location is a function's line: where it calls the next one on the path,
 * or its definition if that is not known and for the innermost one. Must not hold more
 * than one message in memory.
 */
#include "analyzer/export/export.h"

#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The numbers of fields in profile.proto. */
enum profile_field {
	SAMPLE_TYPE = 1,
	SAMPLE,
	MAPPING,
	LOCATION,
	FUNCTION,
	STRING_TABLE,
	TIME_NANOS = 9,
	DURATION_NANOS,
	PERIOD_TYPE,
	PERIOD,
	COMMENT,
	DEFAULT_SAMPLE_TYPE,
};

/* Fields of a message, as protocol buffers encode them. */
enum { OF_NUMBER, OF_BYTES = 2 };

/* Zero is not written: a missing field is 0. */
static void message_number(struct strbuf *message, unsigned field, int64_t value)
{
	if (!value)
		return;
	strbuf_put_leb128(message, field << 3 | OF_NUMBER);
	strbuf_put_leb128(message, (uint64_t)value);
}

static void message_bytes(struct strbuf *message, unsigned field, const char *data,
			  size_t size)
{
	strbuf_put_leb128(message, field << 3 | OF_BYTES);
	strbuf_put_leb128(message, size);
	strbuf_add(message, data, size);
}

/* Adds a number to a packed field; message_bytes() writes it. */
static void pack(struct strbuf *packed, int64_t value)
{
	strbuf_put_leb128(packed, (uint64_t)value);
}

#define GZIP (15 + 16)
#define BUFFER_BYTES 65536

struct writing {
	FILE *out;
	const struct profile *profile;
	z_stream stream;
	unsigned char buffer[BUFFER_BYTES];
	struct intern strings; /* string 0 is "" */
	struct map locations;  /* written ones, by function and line */
	uint32_t *mappings;    /* by function; 0: none */
	struct strbuf field, packed, inner;
	uint32_t *chain;
};

/* The caller checks the stream for errors at the end. */
static void squeeze(struct writing *writing, const char *data, size_t size, int flush)
{
	int result;

	writing->stream.next_in = (unsigned char *)(uintptr_t)data;
	writing->stream.avail_in = (unsigned)size;
	do {
		writing->stream.next_out = writing->buffer;
		writing->stream.avail_out = sizeof(writing->buffer);
		result = deflate(&writing->stream, flush);
		fwrite(writing->buffer, 1,
		       sizeof(writing->buffer) - writing->stream.avail_out, writing->out);
	} while (writing->stream.avail_out == 0 && result == Z_OK);
}

/* Writes the message in writing->field as a field of the profile. */
static void put_field(struct writing *writing, unsigned number)
{
	struct strbuf *head = &writing->inner;

	strbuf_reset(head);
	message_bytes(head, number, strbuf_text(&writing->field), writing->field.size);
	squeeze(writing, strbuf_text(head), head->size, Z_NO_FLUSH);
	strbuf_reset(&writing->field);
}

static void put_number(struct writing *writing, unsigned number, int64_t value)
{
	struct strbuf *head = &writing->inner;

	strbuf_reset(head);
	message_number(head, number, value);
	squeeze(writing, strbuf_text(head), head->size, Z_NO_FLUSH);
}

static int64_t string_of(struct writing *writing, const char *text)
{
	return text ? (int64_t)intern_text(&writing->strings, text, NULL) : 0;
}

static void put_value_type(struct writing *writing, unsigned number,
			   const struct profile_metric_facts *metric)
{
	message_number(&writing->field, 1, string_of(writing, metric->word));
	message_number(&writing->field, 2, string_of(writing, metric->unit));
	put_field(writing, number);
}

static void put_label(struct writing *writing, const char *key, const char *text,
		      int64_t number)
{
	struct strbuf *label = &writing->inner;

	strbuf_reset(label);
	message_number(label, 1, string_of(writing, key));
	message_number(label, 2, string_of(writing, text));
	message_number(label, 3, number);
	message_bytes(&writing->field, 3, strbuf_text(label), label->size);
}

static void put_labels(struct writing *writing, const struct profile_sample *sample)
{
	const struct profile *profile = writing->profile;
	const char *recording = profile_recording(&profile->tree->nodes[sample->node]);

	if (recording)
		put_label(writing, "recording", recording, 0);
	if (sample->lane == PROFILE_NONE)
		return;
	put_label(writing, "thread", profile->lanes[sample->lane].thread, 0);
	if (profile->lanes[sample->lane].tid)
		put_label(writing, "tid", NULL, profile->lanes[sample->lane].tid);
	if (profile->lanes[sample->lane].process)
		put_label(writing, "process", profile->lanes[sample->lane].process, 0);
	if (profile->lanes[sample->lane].pid)
		put_label(writing, "pid", NULL, profile->lanes[sample->lane].pid);
}

/* The location's number, from 1; written on first use. line 0: the definition. */
static int64_t location_of(struct writing *writing, uint32_t number, uint32_t line)
{
	const struct calltree_function *function =
		&writing->profile->tree->functions[number];
	struct strbuf *inner = &writing->inner;
	bool is_new;
	int64_t location;

	line = line ? line : function->line;
	location = 1ll + map_number(&writing->locations, number, line, 0, &is_new);
	if (!is_new)
		return location;
	message_number(&writing->field, 1, location);
	message_number(&writing->field, 2, writing->mappings[number]);
	strbuf_reset(inner);
	message_number(inner, 1, 1ll + number);
	message_number(inner, 2, line);
	message_bytes(&writing->field, 4, strbuf_text(inner), inner->size);
	put_field(writing, LOCATION);
	return location;
}

/* Innermost first: the line of each call belongs to the next location. */
static void put_sample(struct writing *writing, const struct profile_sample *sample)
{
	const struct calltree *tree = writing->profile->tree;
	const uint32_t *chain = writing->chain;
	size_t depth = profile_chain(writing->profile, sample->node, writing->chain);

	strbuf_reset(&writing->packed);
	for (size_t i = 0; i < depth; i++) {
		bool is_caller = i && tree->nodes[chain[i - 1]].parent == chain[i];

		pack(&writing->packed,
		     location_of(writing, tree->nodes[chain[i]].function,
				 is_caller ? calltree_call_line(tree, chain[i - 1]) : 0));
	}
	message_bytes(&writing->field, 1, strbuf_text(&writing->packed),
		      writing->packed.size);
	strbuf_reset(&writing->packed);
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		pack(&writing->packed, sample->values[i]);
	message_bytes(&writing->field, 2, strbuf_text(&writing->packed),
		      writing->packed.size);
	put_labels(writing, sample);
	put_field(writing, SAMPLE);
}

/* Each module once; pprof takes the first for the program itself. */
static void put_mappings(struct writing *writing)
{
	const struct profile *profile = writing->profile;
	struct intern modules = {0};

	for (size_t i = 0; i < profile->tree->function_count; i++) {
		const char *module = profile->tree->functions[i].module;
		bool is_new;

		if (!module)
			continue;
		writing->mappings[i] = intern_text(&modules, module, &is_new) + 1;
		if (!is_new)
			continue;
		message_number(&writing->field, 1, writing->mappings[i]);
		message_number(&writing->field, 5, string_of(writing, module));
		for (unsigned field = 7; field <= 9; field++)
			message_number(&writing->field, field, 1);
		put_field(writing, MAPPING);
	}
}

static void put_functions(struct writing *writing)
{
	const struct profile *profile = writing->profile;

	for (size_t i = 0; i < profile->tree->function_count; i++) {
		const struct calltree_function *function = &profile->tree->functions[i];

		message_number(&writing->field, 1, (int64_t)i + 1);
		message_number(&writing->field, 2, string_of(writing, function->name));
		message_number(&writing->field, 3,
			       string_of(writing, function->linkage_name));
		message_number(&writing->field, 4, string_of(writing, function->file));
		message_number(&writing->field, 5, function->line);
		put_field(writing, FUNCTION);
	}
}

static void put_comments(struct writing *writing)
{
	const struct profile *profile = writing->profile;

	strbuf_reset(&writing->packed);
	pack(&writing->packed, string_of(writing, profile->title));
	for (size_t i = 0; i < profile->remark_count; i++)
		pack(&writing->packed, string_of(writing, profile->remarks[i]));
	strbuf_add(&writing->field, strbuf_text(&writing->packed), writing->packed.size);
	put_field(writing, COMMENT);
}

static void put_strings(struct writing *writing)
{
	for (uint32_t i = 0; i < writing->strings.count; i++) {
		strbuf_puts(&writing->field, intern_name(&writing->strings, i));
		put_field(writing, STRING_TABLE);
	}
}

/* 0: not known, or a damaged file. */
static int64_t started_ns(const struct profile *profile)
{
	int64_t ns;

	return __builtin_mul_overflow(profile->started_ms, 1000000, &ns) ? 0 : ns;
}

static void put_all(struct writing *writing)
{
	const struct profile *profile = writing->profile;

	intern_text(&writing->strings, "", NULL);
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		put_value_type(writing, SAMPLE_TYPE, &profile_metrics[i]);
	put_mappings(writing);
	put_functions(writing);
	for (size_t i = 0; i < profile->sample_count; i++)
		put_sample(writing, &profile->samples[i]);
	put_number(writing, TIME_NANOS, started_ns(profile));
	put_number(writing, DURATION_NANOS, profile->wall_ns);
	put_value_type(writing, PERIOD_TYPE, &profile_metrics[PROFILE_WALL]);
	put_number(writing, PERIOD, 1);
	put_comments(writing);
	put_number(writing, DEFAULT_SAMPLE_TYPE,
		   string_of(writing,
			     profile_metrics[profile->sums[PROFILE_WALL] ? PROFILE_WALL
									 : PROFILE_BYTES]
				     .word));
	put_strings(writing);
}

static void write_profile(const struct doc *doc, const struct export_context *context)
{
	struct writing *writing;

	if (!doc->profile)
		return;
	writing = xcalloc(1, sizeof(*writing));
	writing->out = context->out;
	writing->profile = doc->profile;
	writing->mappings =
		xcalloc(doc->profile->tree->function_count, sizeof(*writing->mappings));
	writing->chain = xreallocarray(NULL, PROFILE_STACK_MOST, sizeof(*writing->chain));
	if (deflateInit2(&writing->stream, 4, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) ==
	    Z_OK) {
		put_all(writing);
		squeeze(writing, "", 0, Z_FINISH);
		deflateEnd(&writing->stream);
	}
}

const struct exporter exporter_pprof = {
	.name = "pprof",
	.summary = "gzipped profile.proto with all metrics, for go tool pprof",
	.takes_profile = true,
	.is_binary = true,
	.write = write_profile,
};
