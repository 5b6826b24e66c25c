/* SPDX-License-Identifier: MIT */
/* From a file of another program to a run in run.db. */
#include "collector/imports/import.h"

#include "collector/imports/formats.h"
#include "collector/store/store.h"
#include "common/base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct import_format *const formats[] = {&import_folded, &import_pprof};

static const struct {
	const char *word;
	struct import_unit unit;
} units[] = {
	{"ns", {BUILDER_WALL, 1}},	     {"us", {BUILDER_WALL, 1000}},
	{"ms", {BUILDER_WALL, 1000000}},     {"s", {BUILDER_WALL, 1000000000}},
	{"calls", {BUILDER_CALLS, 1}},	     {"allocs", {BUILDER_ALLOC_COUNT, 1}},
	{"bytes", {BUILDER_ALLOC_BYTES, 1}}, {"live", {BUILDER_LIVE_BYTES, 1}},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *import_format_words(void)
{
	return "folded, pprof";
}

const char *import_unit_words(void)
{
	return "ns, us, ms or s of time, the time that a sample stands for (10ms), "
	       "calls, "
	       "allocs, bytes or live";
}

static const struct import_format *find_format(const char *name)
{
	for (size_t i = 0; i < COUNT(formats); i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

/* "10ms", "10.1ms": what a sample stands for. */
static int find_period(const char *word, struct import_unit *ret)
{
	char *end;
	double number = strtod(word, &end);

	for (size_t i = 0; i < COUNT(units); i++)
		if (units[i].unit.value == BUILDER_WALL &&
		    strcmp(units[i].word, end) == 0) {
			number *= (double)units[i].unit.scale;
			if (!(number >= 1 && number <= 3600e9))
				return -EINVAL;
			*ret = (struct import_unit){BUILDER_SAMPLES, (int64_t)number};
			return 0;
		}
	return -EINVAL;
}

static int find_unit(const char *word, struct import_unit *ret)
{
	for (size_t i = 0; i < COUNT(units); i++)
		if (strcmp(units[i].word, word) == 0) {
			*ret = units[i].unit;
			return 0;
		}
	return *word >= '0' && *word <= '9' ? find_period(word, ret) : -EINVAL;
}

static int check_request(const struct import_request *request,
			 const struct import_format **ret_format,
			 struct import_unit *ret_unit, char *error, size_t error_size)
{
	*ret_format = find_format(request->format);
	if (!*ret_format) {
		snprintf(error, error_size,
			 "there is no format '%s' to import; there are: %s",
			 request->format, import_format_words());
		return -EINVAL;
	}
	if ((*ret_format)->needs_unit && !request->unit) {
		snprintf(error, error_size,
			 "%s profiles do not say what their numbers are: --unit takes %s",
			 request->format, import_unit_words());
		return -EINVAL;
	}
	if (!(*ret_format)->needs_unit && request->unit) {
		snprintf(error, error_size,
			 "%s profiles say themselves what their numbers are: no --unit",
			 request->format);
		return -EINVAL;
	}
	if (request->unit && find_unit(request->unit, ret_unit) < 0) {
		snprintf(error, error_size, "--unit takes %s", import_unit_words());
		return -EINVAL;
	}
	return 0;
}

/* The sentence's end becomes a sentence. */
static void name_file(const struct import_request *request, char *error,
		      size_t error_size)
{
	struct strbuf sentence = {0};

	utf8_clean(&sentence, strcmp(request->input, "-") == 0 ? "the standard input"
							       : request->input);
	strbuf_printf(&sentence, ": %s", error);
	snprintf(error, error_size, "%s", strbuf_text(&sentence));
	strbuf_free(&sentence);
}

static const char *label_of(const struct import_request *request)
{
	const char *base = strrchr(request->input, '/');

	if (request->label)
		return request->label;
	if (strcmp(request->input, "-") == 0)
		return "";
	return base ? base + 1 : request->input;
}

static void note_facts(struct builder *builder, const struct import_request *request,
		       const struct import_head *head)
{
	builder_fact(builder, "imported_stacks", builder->stack_count, request->format);
	if (head->label_count)
		builder_fact(builder, "imported_labels", head->label_count, NULL);
	if (head->ignored_types[0])
		builder_fact(builder, "imported_types", 1, head->ignored_types);
	builder_fact(builder, "folded_paths", builder->folded_count, NULL);
}

static void tell(const struct builder *builder, const struct import_head *head,
		 struct import_told *ret)
{
	ret->stack_count = builder->stack_count;
	ret->function_count = builder->run.merge.identify.function_count;
	ret->path_count = builder->run.merge.path_count - 1;
	ret->folded_count = builder->folded_count;
	ret->label_count = head->label_count;
	ret->is_sampled = builder_is_sampled(builder);
	memcpy(ret->ignored_types, head->ignored_types, sizeof(ret->ignored_types));
}

static int build_and_store(const struct import_request *request,
			   const struct import_format *format,
			   const struct import_unit *unit, struct source *source,
			   struct import_told *ret, char *error, size_t error_size)
{
	struct builder builder = {.stack_count = 0};
	struct import_head head = {.label_count = 0};
	int result;

	builder_begin(&builder);
	result = format->read(&builder, source, unit, &head, error, error_size);
	source_done(source);
	if (result == 0 && !builder.stack_count) {
		snprintf(error, error_size, "has no stacks");
		result = -EBADMSG;
	}
	if (result == 0)
		result = builder_finish(&builder, head.started_ns, head.duration_ns,
					label_of(request), head.executable, error,
					error_size);
	if (result < 0) {
		name_file(request, error, error_size);
	} else {
		note_facts(&builder, request, &head);
		tell(&builder, &head, ret);
		result = store_run(request->output, &builder.run, NULL, &ret->run_id,
				   error, error_size);
		if (result == -EINVAL)
			result = -EBADMSG; /* it is the output that is wrong */
	}
	builder_done(&builder);
	return result;
}

int import_profile(const struct import_request *request, struct import_told *ret,
		   char *error, size_t error_size)
{
	const struct import_format *format;
	struct import_unit unit = {BUILDER_NO_VALUE, 0};
	struct source source;
	int result = check_request(request, &format, &unit, error, error_size);

	*ret = (struct import_told){.run_id = 0};
	if (result < 0)
		return result;
	result = source_read(&source, request->input, error, error_size);
	if (result < 0) {
		name_file(request, error, error_size);
		return result;
	}
	return build_and_store(request, format, &unit, &source, ret, error, error_size);
}
