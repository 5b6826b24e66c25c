/* SPDX-License-Identifier: MIT */
/* The list of commands. */
#include "analyzer/cli/commands.h"

extern const struct report report_top;
extern const struct report report_mcp;

static const struct report *const live_commands[] = {&report_top, &report_mcp};

#define LIVE_COUNT (sizeof(live_commands) / sizeof(live_commands[0]))

size_t cli_command_count(void)
{
	return report_registry_count + LIVE_COUNT;
}

const struct report *cli_command(size_t index)
{
	return index < report_registry_count
		       ? report_registry[index]
		       : live_commands[index - report_registry_count];
}
