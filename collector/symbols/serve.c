/* SPDX-License-Identifier: MIT */
/*
 * Reads requests, asks the reader, writes answers. Runs on: a confined child. Must read a
 * request to its end before it answers: until then the parent does not listen.
 */
#include "collector/symbols/serve.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/symbols/confined.h"
#include "collector/symbols/reader.h"
#include "collector/symbols/strings.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"

#define REQUEST_SECONDS 3

struct server {
	FILE *out;
	struct strings *strings;
	struct reader_module **modules;
	size_t module_count;
	struct map texts; /* by the address of the string */
};

static void put(struct server *server, const void *data, size_t size)
{
	(void)fwrite(data, 1, size, server->out);
}

/* The string's number. A new string is sent first. */
static uint32_t number_of(struct server *server, const char *text)
{
	bool is_new = false;
	uint32_t number;
	size_t length;

	if (!text)
		return 0;
	number = map_number(&server->texts, (uintptr_t)text, 0, 0, &is_new) + 1;
	if (is_new) {
		length = strlen(text);
		put(server, &(struct message_answer){ANSWER_TEXT, (uint32_t)length, 0},
		    sizeof(struct message_answer));
		put(server, text, length);
	}
	return number;
}

static void put_symbols(struct server *server, const struct symbol *symbols, int count,
			uint64_t offset)
{
	struct message_symbol out[MESSAGE_FRAMES_MAX];
	struct message_answer answer = {ANSWER_SYMBOLS, count > 0 ? (uint32_t)count : 0,
					offset};

	for (int i = 0; i < count; i++)
		out[i] = (struct message_symbol){
			.name = number_of(server, symbols[i].name),
			.linkage_name = number_of(server, symbols[i].linkage_name),
			.identity = number_of(server, symbols[i].identity),
			.file = number_of(server, symbols[i].file),
			.own_file = number_of(server, symbols[i].own_file),
			.line = symbols[i].line,
			.variant = (uint8_t)symbols[i].variant,
			.is_part = symbols[i].is_part,
		};
	put(server, &answer, sizeof(answer));
	put(server, out, answer.value * sizeof(*out));
}

static void answer_question(struct server *server, struct reader_module *module,
			    const struct message_question *question)
{
	struct symbol symbols[MESSAGE_FRAMES_MAX];
	uint64_t offset = 0;
	int count;

	if (question->kind == ASK_FRAMES)
		count = reader_frames(module, question->address, symbols,
				      MESSAGE_FRAMES_MAX);
	else if (question->kind == ASK_FUNCTION)
		count = reader_function(module, question->address, symbols) == 0;
	else if (question->kind == ASK_VARIABLE)
		count = reader_variable(module, question->address, symbols, &offset) == 0;
	else
		count = reader_near(module, question->address, symbols, &offset) == 0;
	put_symbols(server, symbols, count, offset);
}

static void open_module(struct server *server, const uint8_t *data)
{
	const struct message_file *from = (const struct message_file *)data;

	ARRAY_ADD(server->modules, server->module_count) =
		reader_open(server->strings, &from->file, from->is_without_debug);
}

/* Trusts the parent, which checks what it sends. */
static void answer_request(struct server *server, const struct message_request *request,
			   const uint8_t *data)
{
	const struct message_question *questions = (const void *)data;
	struct message_answer end = {.kind = ANSWER_MODULE};
	struct reader_module *module;

	confined_allow_seconds(REQUEST_SECONDS);
	if (request->kind == REQUEST_OPEN)
		open_module(server, data);
	module = server->modules[request->module];
	for (size_t i = 0;
	     request->kind == REQUEST_ASK && i < request->size / sizeof(*questions); i++)
		answer_question(server, module, &questions[i]);
	end.value = reader_source(module);
	end.offset = reader_trouble(module);
	put(server, &end, sizeof(end));
	(void)fflush(server->out);
}

void serve_symbols(FILE *questions, FILE *answers, void *nothing)
{
	struct server server = {.out = answers, .strings = strings_new()};
	struct message_request request;

	(void)nothing;
	while (fread(&request, sizeof(request), 1, questions) == 1) {
		uint8_t *data = xcalloc(1, request.size);

		if (fread(data, 1, request.size, questions) != request.size)
			return;
		answer_request(&server, &request, data);
		free(data);
	}
}
