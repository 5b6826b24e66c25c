/* SPDX-License-Identifier: MIT */
/*
 * The report exclude-list for a program's file; for runs sql/parts/excluded.sql shows
 * it. | Names as gcc sees them for -finstrument-functions-exclude-function-list: it
 * searches its words anywhere in a function's name with namespace and class, without
 * parameters and return type. Measured with gcc 12; tests/host/exclude_list.py builds
 * with it.
 */
#include "analyzer/reports/exclude/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"

static bool begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static bool is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* The end of what follows "operator": a sign, or the type it converts to. */
static const char *skip_operator(const char *at)
{
	if (begins(at, "()"))
		return at + 2;
	if (*at == ' ')
		return at + strcspn(at, "(");
	return at + strspn(at, "<>=!+-*/%^&|~[],");
}

/* Whether these parameters belong to an enclosing function, whose name is followed by a
 * lambda or a class defined in it. */
static bool is_inside(const char *at)
{
	size_t depth = 0;

	for (; *at; at++) {
		if (*at == '(')
			depth++;
		else if (*at == ')' && --depth == 0)
			break;
	}
	if (!*at++)
		return false;
	if (begins(at, " const"))
		at += strlen(" const");
	return begins(at, "::");
}

/* A name in parts: where its last word and its parameters begin. */
struct parts {
	const char *start;     /* behind the return type */
	const char *last;      /* the function's own name */
	const char *arguments; /* of its template, or end */
	const char *end;
	bool in_template; /* a member of a class template */
};

static void take_apart(const char *name, struct parts *ret)
{
	size_t depth = 0;
	const char *at = name;
	bool is_operator = false;

	*ret = (struct parts){.start = name, .last = name};
	while (*at &&
	       !(*at == '(' && depth == 0 && !begins(at, ANONYMOUS) && !is_inside(at))) {
		if (begins(at, ANONYMOUS)) {
			at += strlen(ANONYMOUS);
		} else if (depth == 0 && !is_operator && begins(at, "operator") &&
			   !is_identifier(at[8]) &&
			   (at == name || !is_identifier(at[-1]))) {
			at = skip_operator(at + 8);
			is_operator = true;
		} else {
			if (*at == '<' || *at == '{' || *at == '(' || *at == '[') {
				if (depth++ == 0 && !ret->arguments && *at != '{')
					ret->arguments = at;
			} else if ((*at == '>' || *at == '}' || *at == ')' ||
				    *at == ']') &&
				   depth) {
				depth--;
			} else if (depth == 0 && begins(at, "::")) {
				ret->in_template |= at > name && at[-1] == '>';
				ret->last = ++at + 1;
				ret->arguments = NULL;
			} else if (depth == 0 && *at == ' ' && !is_operator) {
				/* What came before is the return type. */
				*ret = (struct parts){.start = at + 1, .last = at + 1};
			}
			at++;
		}
	}
	ret->end = at;
	if (!ret->arguments)
		ret->arguments = at;
}

static void put_named(struct strbuf *buffer, const char *from, const char *end)
{
	while (from < end) {
		bool is_anonymous = begins(from, ANONYMOUS);

		if (is_anonymous)
			strbuf_puts(buffer, "{anonymous}");
		else
			strbuf_putc(buffer, *from);
		from += is_anonymous ? strlen(ANONYMOUS) : 1;
	}
}

void exclude_visible(struct strbuf *buffer, const char *name)
{
	struct parts parts;

	take_apart(name, &parts);
	/* C has "hash.constprop.0"; in C++ the suffix follows the parameters. */
	if (!*parts.end && strchr(parts.start, '.'))
		parts.end = strchr(parts.start, '.');
	put_named(buffer, parts.start, parts.end);
}

/* Whether a shell leaves all of these characters alone in single quotes. */
static bool is_fit(const char *word)
{
	if (!*word || begins(word, "decltype") || strstr(word, "lambda"))
		return false;
	for (; *word; word++)
		if (!is_identifier(*word) && !strchr(":~{}<>=!+-*/%^&|() ", *word))
			return false;
	return true;
}

void exclude_word(struct strbuf *buffer, const char *visible)
{
	struct parts parts;
	const char *from, *end;
	size_t start = buffer->size;

	take_apart(visible, &parts);
	from = parts.start;
	end = parts.arguments;
	/* The class of a lambda has no name. */
	if (memchr(parts.start, '{', (size_t)(parts.last - parts.start)) &&
	    !strstr(parts.start, "{anonymous}"))
		return;
	if (parts.in_template) {
		from = parts.last - 2;
		while (from > parts.start && *from != '>')
			from--;
	}
	strbuf_add(buffer, from, (size_t)(end - from));
	if (!is_fit(strbuf_text(buffer) + start))
		strbuf_truncate(buffer, start);
}

static struct cell put(struct ask *ask, const struct cell *value,
		       void (*word)(struct strbuf *buffer, const char *name))
{
	strbuf_reset(&ask->text);
	if (value->kind == CELL_TEXT)
		word(&ask->text, value->text);
	if (!ask->text.size)
		return (struct cell){.kind = CELL_NULL};
	return (struct cell){.kind = CELL_TEXT, .text = strbuf_text(&ask->text)};
}

static struct cell visible(void *ask, const struct cell *values)
{
	return put(ask, &values[0], exclude_visible);
}

static struct cell word(void *ask, const struct cell *values)
{
	return put(ask, &values[0], exclude_word);
}

SECTION_CODE(gcc_words)
{
	(void)doc, (void)rows;
	rundb_function(ask->input->db, "gcc_visible", 1, visible, ask);
	rundb_function(ask->input->db, "gcc_word", 1, word, ask);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	if (input->options->program)
		return exclude_program(input, doc);
	if (!input->db)
		command_fail(STATUS_USAGE, "exclude-list needs a database, or --program "
					   "with a program");
	return engine_build(&report_excluded, input, doc);
}

const struct report report_exclude_list = {
	.name = "exclude-list",
	.summary = "flags for the next build, without tiny functions",
	.description =
		"With a database: functions whose hooks cost more than they show: each "
		"call takes less than its hooks, or an unknown time, and all its calls "
		"take --min-share of the hooks' cost (0.5 %); the most expensive first, "
		"--limit of them. Functions that allocate and the one with most self "
		"time are not listed. For gcc it prints the flags with their names, or "
		"with files where a name would match another function of the run. Their "
		"time then goes to their callers, and their calls are not counted. With "
		"--program: reads from the program how it was built (compiler, flags, "
		"hooks, how many are in system headers), and prints the lines to build "
		"it with, for the compiler, CMake, Meson and Autotools.",
	.example = "prof-analyze exclude-list run.db --limit 10",
	.takes =
		TAKES_RUN | TAKES_LIMIT | TAKES_SHARE | TAKES_PROGRAM | TAKES_NO_DATABASE,
	.build = build,
};
