/* SPDX-License-Identifier: MIT */
/* What the command mcp asks of the command line, which knows all commands. */
#pragma once

#include "analyzer/reports/report.h"

#include <argp.h>

#define MCP_OPTIONS_MOST 64

struct mcp_commands {
	size_t (*count)(void);
	const struct report *(*at)(size_t index);
	const struct report *(*find)(const char *name);
	/* ret has room for MCP_OPTIONS_MOST and is zeroed. */
	void (*fill_options)(const struct report *report, struct argp_option *ret);
	int (*run)(int argc, char **argv, bool as_is);
};

/* Set by main(). */
extern const struct mcp_commands *mcp_commands;
