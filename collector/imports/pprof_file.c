/* SPDX-License-Identifier: MIT */
/* Reading of profile.proto into tables. */
#include "collector/imports/pprof_file.h"

#include "common/base/array.h"
#include "common/base/utf8.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_type(struct wire message, struct pprof_type *ret)
{
	struct wire_field field;

	*ret = (struct pprof_type){0};
	while (wire_next(&message, &field)) {
		if (field.number == 1)
			ret->type = field.value;
		if (field.number == 2)
			ret->unit = field.value;
	}
}

static void put_id(struct map *ids, uint64_t id, size_t index)
{
	if (map_get(ids, id, 0, 0) == MAP_NONE)
		map_put(ids, id, 0, 0, (uint32_t)index);
}

static void add_mapping(struct pprof_file *file, struct wire message)
{
	struct pprof_mapping mapping = {0};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		if (field.number == 5)
			mapping.filename = field.value;
		if (field.number == 6)
			mapping.build_id = field.value;
	}
	put_id(&file->mapping_ids, id, file->mapping_count);
	file->mappings = array_room(file->mappings, file->mapping_count, sizeof(mapping));
	file->mappings[file->mapping_count++] = mapping;
}

static void add_line(struct pprof_file *file, struct wire message)
{
	struct pprof_line line = {.function = PPROF_NONE};
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			line.function_id = field.value;
		if (field.number == 2)
			line.line = (int64_t)field.value;
	}
	file->lines = array_room(file->lines, file->line_count, sizeof(line));
	file->lines[file->line_count++] = line;
}

static void add_location(struct pprof_file *file, struct wire message)
{
	struct pprof_location location = {.first_line = (uint32_t)file->line_count};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		if (field.number == 2)
			location.mapping_id = field.value;
		if (field.number == 3)
			location.address = field.value;
		if (field.number == 4 && file->line_count < PPROF_RECORDS_MOST)
			add_line(file, field.bytes);
	}
	location.line_count = (uint32_t)file->line_count - location.first_line;
	put_id(&file->location_ids, id, file->location_count);
	file->locations =
		array_room(file->locations, file->location_count, sizeof(location));
	file->locations[file->location_count++] = location;
}

static void add_function(struct pprof_file *file, struct wire message)
{
	struct pprof_function function = {0};
	struct wire_field field;
	uint64_t id = 0;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			id = field.value;
		if (field.number == 2)
			function.name = field.value;
		if (field.number == 3)
			function.system_name = field.value;
		if (field.number == 4)
			function.filename = field.value;
		if (field.number == 5)
			function.start_line = (int64_t)field.value;
	}
	put_id(&file->function_ids, id, file->function_count);
	file->functions =
		array_room(file->functions, file->function_count, sizeof(function));
	file->functions[file->function_count++] = function;
}

static void take_field(struct pprof_file *file, const struct wire_field *field)
{
	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		file->types =
			array_room(file->types, file->type_count, sizeof(*file->types));
		take_type(field->bytes, &file->types[file->type_count++]);
		break;
	case PPROF_SAMPLE:
		file->sample_count++;
		break;
	case PPROF_MAPPING:
		add_mapping(file, field->bytes);
		break;
	case PPROF_LOCATION:
		add_location(file, field->bytes);
		break;
	case PPROF_FUNCTION:
		add_function(file, field->bytes);
		break;
	case PPROF_STRING:
		file->strings = array_room(file->strings, file->string_count,
					   sizeof(*file->strings));
		file->strings[file->string_count++] = field->bytes;
		break;
	case PPROF_TIME:
		file->time_ns = (int64_t)field->value;
		break;
	case PPROF_DURATION:
		file->duration_ns = (int64_t)field->value;
		break;
	case PPROF_PERIOD_TYPE:
		take_type(field->bytes, &file->period_type);
		break;
	case PPROF_PERIOD:
		file->period = (int64_t)field->value;
		break;
	default:
		break;
	}
}

/* Of a record that is not a message all numbers are 0; what refers to one that is not
 * there is told. */
static const char *check(struct pprof_file *file)
{
	if (!file->type_count || !file->string_count)
		return "is no pprof profile: it has no types of samples, or no strings";
	if (file->strings[0].at != file->strings[0].end)
		return "is no pprof profile: its first string is not empty";
	for (size_t i = 0; i < file->type_count; i++)
		if (file->types[i].type >= file->string_count ||
		    file->types[i].unit >= file->string_count)
			return "is damaged: a type of samples names a string that is not "
			       "there";
	for (size_t i = 0; i < file->function_count; i++)
		if (file->functions[i].name >= file->string_count ||
		    file->functions[i].system_name >= file->string_count ||
		    file->functions[i].filename >= file->string_count)
			return "is damaged: a function names a string that is not there";
	for (size_t i = 0; i < file->line_count; i++) {
		struct pprof_line *line = &file->lines[i];

		line->function = map_get(&file->function_ids, line->function_id, 0, 0);
		if (line->function_id && line->function == MAP_NONE)
			return "is damaged: a location names a function that is not "
			       "there";
	}
	return NULL;
}

static int is_over(const struct pprof_file *file)
{
	return file->string_count >= PPROF_RECORDS_MOST ||
	       file->type_count >= PPROF_RECORDS_MOST ||
	       file->mapping_count >= PPROF_RECORDS_MOST ||
	       file->function_count >= PPROF_RECORDS_MOST ||
	       file->location_count >= PPROF_RECORDS_MOST ||
	       file->line_count >= PPROF_RECORDS_MOST;
}

int pprof_file_read(struct pprof_file *ret, const void *data, size_t size, char *error,
		    size_t error_size)
{
	const uint8_t *bytes = data;
	struct wire message = {bytes, bytes + size, false};
	const char *wrong = NULL;
	struct wire_field field;

	*ret = (struct pprof_file){.string_count = 0};
	while (!wrong && wire_next(&message, &field)) {
		take_field(ret, &field);
		if (is_over(ret))
			wrong = "has more than four million records of a kind, which is "
				"the limit";
	}
	if (!wrong && message.is_damaged)
		wrong = "is no pprof profile, or cut";
	if (!wrong)
		wrong = check(ret);
	if (!wrong)
		return 0;
	snprintf(error, error_size, "%s", wrong);
	pprof_file_done(ret);
	return -EBADMSG;
}

void pprof_file_done(struct pprof_file *file)
{
	free(file->strings);
	free(file->types);
	free(file->mappings);
	free(file->functions);
	free(file->locations);
	free(file->lines);
	map_done(&file->mapping_ids);
	map_done(&file->function_ids);
	map_done(&file->location_ids);
	*file = (struct pprof_file){.string_count = 0};
}

const char *pprof_file_text(const struct pprof_file *file, uint64_t number,
			    struct strbuf *buffer)
{
	char *text;

	strbuf_reset(buffer);
	if (number >= file->string_count)
		return "";
	text = xstrndup((const char *)file->strings[number].at,
			(size_t)(file->strings[number].end - file->strings[number].at));
	utf8_repair(buffer, text);
	free(text);
	return strbuf_text(buffer);
}

int pprof_file_is(const struct pprof_file *file, uint64_t number, const char *text)
{
	const struct wire *string = &file->strings[number];
	size_t size = strlen(text);

	return number < file->string_count &&
	       (size_t)(string->end - string->at) == size &&
	       memcmp(string->at, text, size) == 0;
}
