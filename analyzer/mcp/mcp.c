/* SPDX-License-Identifier: MIT */
/*
 * The command mcp. A tool call runs the command line that a person would write, in a
 * child that opens files as they are. Must not end because of a client's message, or
 * offer options that name files other than databases: the client may be steered by what
 * it has read.
 */
#include "analyzer/mcp/mcp.h"

#include "common/base/command.h"
#include "common/base/xalloc.h"
#include "analyzer/render/json_value.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGE_MOST (1u << 20)
#define ANSWER_MOST 65536u
#define OUTPUT_MOST (64u << 20)
#define CPU_S 30
#define QUERY_CPU_S 3 /* of the command sql */
#define WORDS_MOST 64

enum rpc_error { /* of JSON-RPC */
		 RPC_NO_JSON = -32700,
		 RPC_NO_REQUEST = -32600,
		 RPC_NO_METHOD = -32601,
		 RPC_WRONG_ARGUMENTS = -32602,
};

static const char instructions[] =
	"Recordings of profshim: exact call counts and allocations, times with errors. "
	"Start "
	"with 'report' or 'bottlenecks'; 'compare' says what got slower. Times are ns, "
	"sizes "
	"bytes; *_error_ns is half of a 95 % interval: ignore differences within it. "
	"'trust' says how reliable an answer's numbers are, 'omitted' what was left out: "
	"ask again with limit, sort or focus, or use sql; its views have the ids of "
	"other answers.";

const struct mcp_commands *mcp_commands;

/* Tools are reports that read a database and write a document. */
static bool is_tool(const struct report *report)
{
	return report && report->build &&
	       !(report->takes & (TAKES_FLAME | TAKES_FILES | TAKES_ARCHIVE)) &&
	       (report->takes & (TAKES_RUN | TAKES_SIDES | TAKES_LIMIT));
}

static bool is_offered(const struct argp_option *option)
{
	return option->group == 0 && strcmp(option->name, "format") != 0 &&
	       strcmp(option->name, "no-limits") != 0 &&
	       (!option->arg ||
		(strcmp(option->arg, "FILE") && strcmp(option->arg, "DIR")));
}

static json_t *schema_of(const struct report *report)
{
	json_t *properties = json_must(json_pack(
		"{s{s[ss]ss}}", "database", "type", "string", "array", "description",
		"run.db; of compare with \"--\" between the sides"));
	struct argp_option options[MCP_OPTIONS_MOST] = {0};

	if (report->argument)
		json_object_set_new(properties, "words",
				    json_must(json_pack("{ssss}", "type", "array",
							"description", report->example)));
	mcp_commands->fill_options(report, options);
	for (const struct argp_option *one = options; one->name; one++)
		if (is_offered(one))
			json_object_set_new(
				properties, one->name,
				json_must(json_pack("{s[sss]ss}", "type",
						    one->arg ? "string" : "boolean",
						    one->arg ? "number" : "null", "array",
						    "description", one->doc)));
	return json_must(json_pack("{sssosb}", "type", "object", "properties", properties,
				   "additionalProperties", 0));
}

/* Sends content under the key "result" or "error", and takes it. id NULL: not known. */
static void send(json_t *id, const char *key, json_t *content)
{
	json_t *message = json_must(json_pack("{sssOso}", "jsonrpc", "2.0", "id",
					      id ? id : json_null(), key, content));

	json_write(message, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(message);
}

static void send_error(json_t *id, enum rpc_error code, const char *text)
{
	send(id, "error",
	     json_must(json_pack("{siss}", "code", (int)code, "message", text)));
}

static void initialize(json_t *id, json_t *params)
{
	static const char *const versions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};
	const char *wanted =
		json_string_value(json_object_get(params, "protocolVersion"));
	size_t i = sizeof(versions) / sizeof(versions[0]);

	while (--i > 0 && !(wanted && strcmp(versions[i], wanted) == 0))
		;
	send(id, "result",
	     json_must(json_pack("{sss{s{}}s{ssss}ss}", "protocolVersion", versions[i],
				 "capabilities", "tools", "serverInfo", "name",
				 "prof-analyze", "version", PROFSHIM_VERSION,
				 "instructions", instructions)));
}

static void list(json_t *id)
{
	json_t *tools = json_must(json_array());

	for (size_t i = 0; i < mcp_commands->count(); i++) {
		const struct report *one = mcp_commands->at(i);

		if (is_tool(one))
			json_array_append_new(
				tools,
				json_must(json_pack("{sssssos{sb}}", "name", one->name,
						    "description", one->description,
						    "inputSchema", schema_of(one),
						    "annotations", "readOnlyHint", 1)));
	}
	send(id, "result", json_must(json_pack("{so}", "tools", tools)));
}

/* A command line. It is made in the child: what is wrong with it ends that. */
struct line {
	char *words[WORDS_MOST + 4];
	size_t count;
};

static _Noreturn void refuse(const char *name, const char *why)
{
	struct strbuf clean = {0};

	utf8_clean(&clean, name);
	fprintf(stderr, "argument '%s' %s\n", strbuf_text(&clean), why);
	exit(STATUS_USAGE);
}

/* Adds a word that cannot be taken for an option, or --NAME=VALUE. */
static void add(struct line *line, const char *name, json_t *value, bool is_option)
{
	const char *text = json_is_number(value) ? json_dumps(value, JSON_ENCODE_ANY)
						 : json_string_value(value);
	json_t *one;
	size_t i;

	if (line->count >= WORDS_MOST)
		refuse(name, "is one too many");
	if (json_is_array(value))
		json_array_foreach(value, i, one) add(line, name, one, is_option);
	else if (is_option && json_is_true(value))
		line->words[line->count++] = xasprintf("--%s", name);
	else if (!text && !(is_option && json_is_false(value)))
		refuse(name, "is not text");
	else if (text && !is_option && *text == '-' && strcmp(text, "--") != 0)
		refuse(name, "begins with '-'");
	else if (text)
		line->words[line->count++] =
			is_option ? xasprintf("--%s=%s", name, text) : xstrdup(text);
}

static void make_line(struct line *line, const struct report *report, json_t *arguments,
		      const char *database)
{
	struct argp_option options[MCP_OPTIONS_MOST] = {0}, *option;
	json_t *value = json_object_get(arguments, "database");
	const char *name;

	mcp_commands->fill_options(report, options);
	line->words[line->count++] = xstrdup("prof-analyze");
	line->words[line->count++] = xstrdup(report->name);
	if (report->takes & TAKES_LIMIT)
		line->words[line->count++] = xstrdup("--limit=20");
	if (value)
		add(line, "database", value, false);
	else if (database)
		line->words[line->count++] = xstrdup(database);
	if (report->argument && (value = json_object_get(arguments, "words")))
		add(line, "words", value, false);
	json_object_foreach(arguments, name, value)
	{
		for (option = options; option->name; option++)
			if (strcmp(option->name, name) == 0 && is_offered(option))
				break;
		if (option->name)
			add(line, name, value, true);
		else if (strcmp(name, "database") &&
			 (strcmp(name, "words") || !report->argument))
			refuse(name, "is not an argument of this tool");
	}
	line->words[line->count++] = xstrdup("--format=json");
}

/* Runs a tool; files receive stdout and stderr. Returns its status. */
static int run(const struct report *report, json_t *arguments, const char *database,
	       const int files[2])
{
	rlim_t cpu_s = strcmp(report->name, "sql") == 0 ? QUERY_CPU_S : CPU_S;
	pid_t child = files[0] < 0 || files[1] < 0 ? -1 : fork();
	struct line line = {0};
	int status = -1;

	if (child == 0) {
		setrlimit(RLIMIT_CPU, &(struct rlimit){cpu_s, cpu_s});
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){OUTPUT_MOST, OUTPUT_MOST});
		dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
		dup2(files[0], STDOUT_FILENO);
		dup2(files[1], STDERR_FILENO);
		command_keep_memory();
		make_line(&line, report, arguments, database);
		exit(mcp_commands->run((int)line.count, line.words, true));
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child > 0 && WIFEXITED(status))
		return WEXITSTATUS(status);
	dprintf(files[1], "it was stopped: a call may take %d s of CPU time\n",
		(int)cpu_s);
	return STATUS_FAILED;
}

/* Adds the content of a memory file to the answer; false: it is empty or too large. */
static bool take_output(int fd, json_t *content)
{
	static char text[ANSWER_MOST + 2];
	ssize_t size = pread(fd, text, ANSWER_MOST + 1, 0);

	close(fd);
	while (size > 0 && text[size - 1] == '\n')
		size--;
	if (size <= 0)
		return false;
	text[size] = '\0';
	if ((size_t)size > ANSWER_MOST)
		strcpy(text,
		       "the answer has more than 64 KiB: ask for fewer rows by limit, "
		       "for less by focus, or by sql");
	json_array_append_new(content, json_must(json_pack("{ssso}", "type", "text",
							   "text", json_text(text))));
	return (size_t)size <= ANSWER_MOST;
}

static void call(json_t *id, json_t *params, const char *database)
{
	const char *name = json_string_value(json_object_get(params, "name"));
	const struct report *report = name ? mcp_commands->find(name) : NULL;
	json_t *arguments = json_object_get(params, "arguments"), *content;
	int files[2];
	bool is_answer;

	if (!is_tool(report) || (arguments && !json_is_object(arguments))) {
		send_error(id, RPC_WRONG_ARGUMENTS,
			   "no such tool, or arguments are no object");
		return;
	}
	files[0] = memfd_create("output", MFD_CLOEXEC);
	files[1] = memfd_create("said", MFD_CLOEXEC);
	if (run(report, arguments, database, files) == STATUS_REGRESSION)
		dprintf(files[1], "status 3: a limit was crossed\n");
	content = json_must(json_array());
	is_answer = take_output(files[0], content);
	take_output(files[1], content);
	send(id, "result",
	     json_must(json_pack("{sosb}", "content", content, "isError", !is_answer)));
}

/* A message without id is a notification: initialized, or cancelled, which comes too late
 * here, for a request is answered before the next line is read. */
static void take_message(json_t *message, const char *database, bool *is_open)
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
		send_error(has_id ? id : NULL, RPC_NO_REQUEST,
			   "not a JSON-RPC 2.0 message");
	else if (!method || !id)
		return;
	else if (strcmp(method, "ping") == 0)
		send(id, "result", json_must(json_object()));
	else if (strcmp(method, "initialize") == 0)
		initialize(id, params), *is_open = true;
	else if (!*is_open)
		send_error(id, RPC_NO_REQUEST, "the first request must be initialize");
	else if (strcmp(method, "tools/list") == 0)
		list(id);
	else if (strcmp(method, "tools/call") == 0)
		call(id, params, database);
	else
		send_error(id, RPC_NO_METHOD, "no such method");
}

/* The next line without its end, at most MESSAGE_MOST + 1 bytes of it; -1: none. */
static ssize_t read_line(char *line)
{
	size_t size = 0;
	int c;

	while ((c = getc_unlocked(stdin)) != EOF && c != '\n')
		if (size <= MESSAGE_MOST)
			line[size++] = (char)c;
	line[size] = '\0';
	return c == EOF && !size ? -1 : (ssize_t)size;
}

static enum exit_status serve(struct report_input *input)
{
	auto_free char *line = xmalloc(MESSAGE_MOST + 2);
	static json_t *message; /* a child that ends has it, too */
	bool is_open = false;
	json_error_t error;
	ssize_t size;

	while (!ferror(stdout) && (size = read_line(line)) >= 0) {
		message = json_loadb(line, (size_t)size, JSON_REJECT_DUPLICATES, &error);
		if (size > MESSAGE_MOST)
			send_error(NULL, RPC_NO_REQUEST, "a message has more than 1 MiB");
		else if (message)
			take_message(message, input->options->argument, &is_open);
		else if (strspn(line, " \t\r") < (size_t)size)
			send_error(NULL, RPC_NO_JSON, error.text);
		json_decref(message);
	}
	return ferror(stdout) ? STATUS_FAILED : STATUS_OK;
}

const struct report report_mcp = {
	.name = "mcp",
	.argument = "[DB]",
	.summary = "answer an editor or agent (Model Context Protocol)",
	.description =
		"Speaks the Model Context Protocol on standard input and output: each "
		"command that reads a run is a tool, its JSON the answer, for editors "
		"and "
		"agents. It ends with its input. Calls that name no database use DB. "
		"Nothing is written.\n\n"
		"docs/mcp.md describes how to set up an editor.",
	.example = "prof-analyze mcp run.db",
	.takes = TAKES_NO_DATABASE | TAKES_ONLY_WORDS | TAKES_MAYBE | TAKES_CLIENT,
	.serve = serve,
};
