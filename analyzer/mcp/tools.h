/* SPDX-License-Identifier: MIT */
/* The tools: which report each is, and what it takes. Must not call them: call.h does. */
#pragma once

#include "analyzer/reports/report.h"

#include <jansson.h>

/* Of each table of an answer. */
#define TOOL_ROWS_USUAL 20
#define TOOL_ROWS_MOST 200

struct tool {
	const char *name;
	const struct report *report;
	const char *description;
	/* What the report's words are called here; NULL: it has none. */
	const char *argument, *other_argument;
	bool needs_limits; /* it is a gate */
};

/* NULL: there is none. */
const struct tool *tool_find(const char *name);
/* The answer to tools/list. */
json_t *tools_listed(void);

enum tool_argument_type {
	TOOL_TEXT,
	TOOL_TEXTS,
	TOOL_NUMBER,
	TOOL_WHOLE,
	TOOL_FLAG,
	TOOL_RUN
};

/* An argument that reports with one of these take. */
struct tool_argument {
	const char *name;
	enum tool_argument_type type;
	unsigned taken_with; /* enum report_takes; 0: by all that read one database */
	const char *description;
	size_t text; /* the field of struct report_options that it sets; 0: the caller
			knows */
};
extern const struct tool_argument tool_arguments[];
extern const size_t tool_argument_count;

bool tool_takes(const struct tool *tool, const struct tool_argument *argument);
