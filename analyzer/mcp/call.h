/* SPDX-License-Identifier: MIT */
/* A call of a tool: a report on a database that is opened for it, within bounds. */
#pragma once

#include "analyzer/mcp/tools.h"

/* Of an answer; a larger one is made again with fewer rows. */
#define CALL_BYTES_MOST 65536u

/* Sets what queries may cost from now on. */
void call_set_limits(void);

/* arguments: an object, borrowed. database: of a call that names none, or NULL. Appends
 * the answer, an object in JSON, or one sentence that says why there is none; returns
 * whether there is one. */
bool tool_call(const struct tool *tool, json_t *arguments, const char *database,
	       struct strbuf *ret);
