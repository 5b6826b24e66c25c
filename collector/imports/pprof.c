/* SPDX-License-Identifier: MIT */
/*
 * Samples of a pprof profile: which of their types we have a place for, and their stacks.
 * A location's inlined functions are frames of their own. Must not walk more frames than
 * a file of that size should have.
 */
#include "collector/imports/formats.h"
#include "collector/imports/pprof_types.h"

#include "collector/symbols/demangle.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MOST (1u << 27)
#define TYPES_MOST 64

struct reading {
	struct builder *builder;
	struct pprof_file file;
	struct pprof_place places[TYPES_MOST];
	uint32_t *functions; /* of each function with the module; INTERN_NONE: not yet */
	uint64_t *stack;     /* locations of a sample, from its leaf */
	size_t stack_size, stack_capacity;
	uint64_t frame_count, label_count;
	struct strbuf texts[5];
};

static bool is_taken(const struct reading *reading, size_t before,
		     enum builder_value value)
{
	for (size_t i = 0; i < before; i++)
		if (reading->places[i].value == value)
			return true;
	return false;
}

static int choose_places(struct reading *reading, struct import_head *head, char *error,
			 size_t error_size)
{
	const struct pprof_file *file = &reading->file;
	size_t used = 0, known = 0;

	if (file->type_count > TYPES_MOST) {
		snprintf(error, error_size, "has more than %d types of samples",
			 TYPES_MOST);
		return -EBADMSG;
	}
	for (size_t i = 0; i < file->type_count; i++) {
		struct pprof_place place = pprof_place_of(file, &file->types[i]);

		if (is_taken(reading, i, place.value))
			place.value = BUILDER_NO_VALUE;
		reading->places[i] = place;
		known += place.value != BUILDER_NO_VALUE;
		if (place.value == BUILDER_NO_VALUE && used < sizeof(head->ignored_types))
			used += (size_t)snprintf(head->ignored_types + used,
						 sizeof(head->ignored_types) - used,
						 "%s%s", used ? ", " : "",
						 pprof_file_text(file,
								 file->types[i].type,
								 &reading->texts[0]));
	}
	if (known)
		return 0;
	snprintf(error, error_size, "has no samples of a kind that is known here, but %s",
		 head->ignored_types);
	return -EBADMSG;
}

static const struct pprof_mapping *mapping_of(const struct pprof_file *file,
					      const struct pprof_location *location)
{
	uint32_t mapping = map_get(&file->mapping_ids, location->mapping_id, 0, 0);

	return mapping == MAP_NONE ? NULL : &file->mappings[mapping];
}

static const char *text_or_null(struct reading *reading, uint64_t number, size_t buffer)
{
	const char *text =
		pprof_file_text(&reading->file, number, &reading->texts[buffer]);

	return *text ? text : NULL;
}

static uint32_t number_of_line(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

static void take_module(struct reading *reading, const struct pprof_location *location,
			struct builder_function *ret)
{
	const struct pprof_mapping *mapping = mapping_of(&reading->file, location);

	if (!mapping)
		return;
	ret->module = text_or_null(reading, mapping->filename, 3);
	ret->build_id = text_or_null(reading, mapping->build_id, 4);
}

/* A location without a function is known by its address. */
static uint32_t function_by_address(struct reading *reading,
				    const struct pprof_location *location)
{
	struct builder_function from = {.is_address = true};
	struct strbuf *name = &reading->texts[0];
	const char *base;

	take_module(reading, location, &from);
	base = from.module ? strrchr(from.module, '/') : NULL;
	strbuf_reset(name);
	strbuf_printf(name, "0x%" PRIx64, location->address);
	if (from.module)
		strbuf_printf(name, " (%s)", base ? base + 1 : from.module);
	from.name = strbuf_text(name);
	return builder_function(reading->builder, &from);
}

/* The first time that the function is met. */
static uint32_t new_function(struct reading *reading,
			     const struct pprof_location *location,
			     const struct pprof_function *function)
{
	struct builder_function from = {
		.name = text_or_null(reading, function->name, 0),
		.linkage_name = text_or_null(reading, function->system_name, 1),
		.file = text_or_null(reading, function->filename, 2),
		.line = number_of_line(function->start_line),
	};
	const char *raw = from.name ? from.name : from.linkage_name;
	char *readable;
	uint32_t number;

	if (!raw)
		return function_by_address(reading, location);
	readable = demangle(raw);
	from.name = readable ? readable : raw;
	if (readable && !from.linkage_name)
		from.linkage_name = raw;
	if (from.linkage_name && strcmp(from.linkage_name, from.name) == 0)
		from.linkage_name = NULL;
	take_module(reading, location, &from);
	number = builder_function(reading->builder, &from);
	free(readable);
	return number;
}

static uint32_t function_by_name(struct reading *reading,
				 const struct pprof_location *location, uint32_t index)
{
	uint32_t *number = &reading->functions[index];
	const struct pprof_function *function = &reading->file.functions[index];

	/* one without a name is another at each address */
	if (*number == INTERN_NONE && !function->name && !function->system_name)
		return function_by_address(reading, location);
	if (*number == INTERN_NONE)
		*number = new_function(reading, location, function);
	return *number;
}

/* Callers first: the last line of a location is the function that the others are inlined
 * into. Returns the path below, and the line in its last function. */
static uint32_t add_location(struct reading *reading, uint32_t path, uint64_t id,
			     uint32_t *ret_line)
{
	uint32_t index = map_get(&reading->file.location_ids, id, 0, 0);
	const struct pprof_location *location = &reading->file.locations[index];

	*ret_line = 0;
	if (!location->line_count)
		path = builder_path(reading->builder, path,
				    function_by_address(reading, location));
	for (uint32_t i = location->line_count; i-- > 0;) {
		const struct pprof_line *line =
			&reading->file.lines[location->first_line + i];

		path = builder_path(
			reading->builder, path,
			line->function == PPROF_NONE
				? function_by_address(reading, location)
				: function_by_name(reading, location, line->function));
		*ret_line = number_of_line(line->line);
	}
	return path;
}

struct sample {
	int64_t values[BUILDER_VALUES];
	size_t value_count;
	enum segment_recording recording;
};

/* Ours says how estimates were made; other labels are counted. */
static void take_label(struct reading *reading, struct wire message, struct sample *ret)
{
	struct wire_field field;
	uint64_t key = 0, text = 0;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			key = field.value;
		if (field.number == 2)
			text = field.value;
	}
	if (!pprof_file_is(&reading->file, key, "recording"))
		reading->label_count++;
	else if (pprof_file_is(&reading->file, text, "counted"))
		ret->recording = SEGMENT_RECORDING_COUNTED;
}

static const char *take_value(struct reading *reading, struct sample *ret, int64_t value)
{
	const struct pprof_place *place;

	if (ret->value_count == reading->file.type_count)
		return "is damaged: a sample has more values than there are types";
	place = &reading->places[ret->value_count++];
	if (place->value == BUILDER_NO_VALUE)
		return NULL;
	if (value < 0)
		return "has negative numbers; a difference of two profiles cannot be "
		       "imported";
	if (__builtin_mul_overflow(value, place->scale, &ret->values[place->value]))
		return "has too large a number";
	return NULL;
}

static const char *take_location(struct reading *reading, uint64_t id)
{
	uint32_t index = map_get(&reading->file.location_ids, id, 0, 0);

	if (index == MAP_NONE)
		return "is damaged: a sample names a location that is not there";
	reading->frame_count += 1 + reading->file.locations[index].line_count;
	if (reading->frame_count > FRAMES_MOST)
		return "has more than 134 million frames in all its stacks, which is the "
		       "limit";
	reading->stack = xgrow(reading->stack, reading->stack_size,
			       &reading->stack_capacity, sizeof(*reading->stack));
	reading->stack[reading->stack_size++] = id;
	return NULL;
}

/* Returns what is wrong with it, or NULL. */
static const char *take_sample(struct reading *reading, struct wire message,
			       struct sample *ret)
{
	struct wire_field field;
	const char *wrong = NULL;
	uint64_t number;

	*ret = (struct sample){.value_count = 0};
	reading->stack_size = 0;
	while (!wrong && wire_next(&message, &field)) {
		if (field.number == 3)
			take_label(reading, field.bytes, ret);
		while (!wrong && field.number < 3 && wire_next_number(&field, &number))
			wrong = field.number == 1
					? take_location(reading, number)
					: take_value(reading, ret, (int64_t)number);
		if (!wrong && field.bytes.is_damaged)
			wrong = "is damaged: a sample's numbers are cut";
	}
	if (!wrong &&
	    (message.is_damaged || ret->value_count != reading->file.type_count))
		wrong = "is damaged: a sample lacks values";
	return wrong;
}

static void add_sample(struct reading *reading, const struct sample *sample)
{
	uint32_t path = 0, line = 0;

	for (size_t i = reading->stack_size; i-- > 0;)
		path = add_location(reading, path, reading->stack[i], &line);
	if (!reading->stack_size)
		path = builder_path(reading->builder, 0,
				    builder_function(reading->builder,
						     &(struct builder_function){
							     .name = "[no stack]"}));
	builder_add(reading->builder, path, sample->values, line, sample->recording);
}

static const char *add_samples(struct reading *reading, const struct source *source)
{
	const uint8_t *bytes = (const uint8_t *)source->data;
	struct wire message = {bytes, bytes + source->size, false};
	const char *wrong = NULL;
	struct wire_field field;
	struct sample sample;

	while (!wrong && wire_next(&message, &field)) {
		if (field.number != PPROF_SAMPLE)
			continue;
		wrong = take_sample(reading, field.bytes, &sample);
		if (!wrong)
			add_sample(reading, &sample);
	}
	return wrong;
}

static uint64_t known_time(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

static void take_head(struct reading *reading, struct import_head *ret)
{
	const struct pprof_file *file = &reading->file;
	int64_t scale = pprof_time_scale(file, file->period_type.unit);

	ret->started_ns = known_time(file->time_ns);
	ret->duration_ns = known_time(file->duration_ns);
	ret->label_count = reading->label_count;
	if (file->mapping_count)
		ret->executable =
			arena_copy(&reading->builder->texts,
				   pprof_file_text(file, file->mappings[0].filename,
						   &reading->texts[0]),
				   reading->texts[0].size);
	if (!reading->builder->sums[BUILDER_SAMPLES] && file->period > 0 && scale &&
	    __builtin_mul_overflow(file->period, scale, &reading->builder->sample_ns))
		reading->builder->sample_ns = 0;
}

static int read_stacks(struct reading *reading, const struct source *source,
		       struct import_head *ret, char *error, size_t error_size)
{
	int result = choose_places(reading, ret, error, error_size);
	const char *wrong;

	if (result < 0)
		return result;
	reading->functions = xreallocarray(NULL, reading->file.function_count + 1,
					   sizeof(*reading->functions));
	memset(reading->functions, 0xff,
	       reading->file.function_count * sizeof(*reading->functions));
	wrong = add_samples(reading, source);
	if (!wrong) {
		take_head(reading, ret);
		return 0;
	}
	snprintf(error, error_size, "%s", wrong);
	return -EBADMSG;
}

static int read_pprof(struct builder *builder, struct source *source,
		      const struct import_unit *unit, struct import_head *ret,
		      char *error, size_t error_size)
{
	struct reading reading = {.builder = builder};
	int result = pprof_file_read(&reading.file, source->data, source->size, error,
				     error_size);

	(void)unit;
	if (result < 0)
		return result;
	result = read_stacks(&reading, source, ret, error, error_size);
	for (size_t i = 0; i < sizeof(reading.texts) / sizeof(reading.texts[0]); i++)
		strbuf_free(&reading.texts[i]);
	free(reading.functions);
	free(reading.stack);
	pprof_file_done(&reading.file);
	return result;
}

const struct import_format import_pprof = {
	.name = "pprof", .needs_unit = false, .read = read_pprof};
