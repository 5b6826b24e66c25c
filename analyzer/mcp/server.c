/* SPDX-License-Identifier: MIT */
/*
 * Messages of a session, and their answers. Must not end for what a client says, only for
 * the end of its input.
 */
#include "analyzer/mcp/server.h"

#include "analyzer/mcp/call.h"
#include "analyzer/mcp/tools.h"
#include "analyzer/render/json_value.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Of JSON-RPC. */
enum rpc_error {
	RPC_NO_JSON = -32700,
	RPC_NO_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_WRONG_ARGUMENTS = -32602,
};

/* The first is what is offered to clients of other versions. */
static const char *const versions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};

static const char instructions[] = "Recordings of profshim: exact call counts, exact "
				   "allocations, times with errors. "
				   "Start with 'overview' or 'findings'; 'compare' says "
				   "what got slower. Times are ns, "
				   "sizes bytes. A *_error_ns is half of a 95 % "
				   "interval: say nothing of differences "
				   "within it. Each answer has 'status', 'cut' (what was "
				   "left out) and 'document', whose "
				   "first part, trust, says how far its numbers go. "
				   "function_id and path_id are those of "
				   "the views that the tool 'sql' asks, and a finding's "
				   "'sql' is the query that proves it.";

struct session {
	FILE *in, *out;
	const char *database;
	bool is_open; /* since initialize */
};

/* Takes the message. */
static void send(struct session *session, json_t *message)
{
	json_object_set_new(message, "jsonrpc", json_text("2.0"));
	json_write(message, session->out, JSON_COMPACT);
	fputc('\n', session->out);
	fflush(session->out);
	json_decref(message);
}

/* id NULL: not known. */
static void send_error(struct session *session, json_t *id, enum rpc_error code,
		       const char *text)
{
	json_t *message = json_must(json_object());

	json_object_set_new(message, "id", id ? json_incref(id) : json_must(json_null()));
	json_object_set_new(
		message, "error",
		json_must(json_pack("{siss}", "code", (int)code, "message", text)));
	send(session, message);
}

/* Takes the result. */
static void send_result(struct session *session, json_t *id, json_t *result)
{
	json_t *message = json_must(json_object());

	json_object_set(message, "id", id);
	json_object_set_new(message, "result", result);
	send(session, message);
}

static const char *chosen_version(json_t *params)
{
	const char *wanted =
		json_string_value(json_object_get(params, "protocolVersion"));

	for (size_t i = 0; wanted && i < sizeof(versions) / sizeof(versions[0]); i++)
		if (strcmp(versions[i], wanted) == 0)
			return versions[i];
	return versions[0];
}

static void initialize(struct session *session, json_t *id, json_t *params)
{
	session->is_open = true;
	send_result(session, id,
		    json_must(json_pack("{sss{s{}}s{ssssss}ss}", "protocolVersion",
					chosen_version(params), "capabilities", "tools",
					"serverInfo", "name", "prof-analyze", "title",
					"profshim", "version", PROFSHIM_VERSION,
					"instructions", instructions)));
}

static void call(struct session *session, json_t *id, json_t *params)
{
	const char *name = json_string_value(json_object_get(params, "name"));
	json_t *given = json_object_get(params, "arguments"), *arguments, *result;
	const struct tool *tool = name ? tool_find(name) : NULL;
	struct strbuf text = {0};
	bool is_answer;

	if (!tool || (given && !json_is_object(given))) {
		send_error(session, id, RPC_WRONG_ARGUMENTS,
			   tool ? "arguments must be an object"
				: "there is no such tool; tools/list has them");
		return;
	}
	arguments = given ? json_incref(given) : json_must(json_object());
	is_answer = tool_call(tool, arguments, session->database, &text);
	json_decref(arguments);
	result = json_must(json_object());
	json_object_set_new(result, "content", json_must(json_array()));
	json_array_append_new(json_object_get(result, "content"),
			      json_must(json_pack("{ssso}", "type", "text", "text",
						  json_text(strbuf_text(&text)))));
	json_object_set_new(result, "isError", json_must(json_boolean(!is_answer)));
	send_result(session, id, result);
	strbuf_free(&text);
}

static void list(struct session *session, json_t *id, json_t *params)
{
	/* all are on the first page */
	if (json_object_get(params, "cursor"))
		send_error(session, id, RPC_WRONG_ARGUMENTS, "there is no such cursor");
	else
		send_result(session, id, tools_listed());
}

static void answer(struct session *session, json_t *id, const char *method,
		   json_t *params)
{
	if (strcmp(method, "ping") == 0)
		send_result(session, id, json_must(json_object()));
	else if (strcmp(method, "initialize") == 0)
		initialize(session, id, params);
	else if (!session->is_open)
		send_error(session, id, RPC_NO_REQUEST,
			   "the first request is initialize");
	else if (strcmp(method, "tools/list") == 0)
		list(session, id, params);
	else if (strcmp(method, "tools/call") == 0)
		call(session, id, params);
	else
		send_error(session, id, RPC_NO_METHOD, "there is no such method");
}

/* A message without id is a notification: initialized, or cancelled, which comes too late
 * here, for a request is answered before the next line is read. */
static void take_message(struct session *session, json_t *message)
{
	json_t *id = json_object_get(message, "id");
	json_t *params = json_object_get(message, "params");
	const char *method = json_string_value(json_object_get(message, "method"));
	const char *version = json_string_value(json_object_get(message, "jsonrpc"));
	bool has_id = json_is_string(id) || json_is_integer(id);

	if (!version || strcmp(version, "2.0") != 0 || (id && !has_id) ||
	    (params && !json_is_object(params)) ||
	    (!method && !json_object_get(message, "result") &&
	     !json_object_get(message, "error")))
		send_error(session, has_id ? id : NULL, RPC_NO_REQUEST,
			   "this is no message of JSON-RPC 2.0");
	else if (method && id)
		answer(session, id, method, params);
}

static void take_line(struct session *session, const char *line, size_t size)
{
	json_error_t error;
	json_t *message = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);

	if (!message)
		send_error(session, NULL, RPC_NO_JSON, error.text);
	else
		take_message(session, message);
	json_decref(message);
}

/* The next line without its end, at most size bytes of it; -1: there is none. */
static ssize_t read_line(FILE *in, char *line, size_t most, bool *ret_is_cut)
{
	size_t size = 0;
	int c;

	*ret_is_cut = false;
	while ((c = getc_unlocked(in)) != EOF && c != '\n') {
		if (size < most)
			line[size++] = (char)c;
		else
			*ret_is_cut = true;
	}
	return c == EOF && !size ? -1 : (ssize_t)size;
}

static bool is_blank(const char *line, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	return true;
}

enum exit_status mcp_serve(FILE *in, FILE *out, const char *database)
{
	struct session session = {.in = in, .out = out, .database = database};
	char *line = xmalloc(MCP_LINE_MOST);
	ssize_t size;
	bool is_cut;

	call_set_limits();
	while (!ferror(out) &&
	       (size = read_line(in, line, MCP_LINE_MOST, &is_cut)) >= 0) {
		if (is_cut)
			send_error(&session, NULL, RPC_NO_REQUEST,
				   "a message has more than 1 MiB");
		else if (!is_blank(line, (size_t)size))
			take_line(&session, line, (size_t)size);
	}
	free(line);
	return ferror(out) ? STATUS_FAILED : STATUS_OK;
}
