/* SPDX-License-Identifier: MIT */
/* prof-analyze. */
#include "common/attributes.h"
#include "analyzer/cli/commands.h"
#include "analyzer/cli/options.h"
#include "analyzer/cli/run.h"
#include "analyzer/cli/words.h"
#include "analyzer/mcp/mcp.h"

#include <locale.h>

OWN_PROGRAM_MARK;

_Static_assert(CLI_OPTION_COUNT < MCP_OPTIONS_MOST, "all options and an end");

int main(int argc, char **argv)
{
	static const struct mcp_commands commands = {cli_command_count, cli_command,
						     cli_find_report, cli_options_fill,
						     cli_run};

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	mcp_commands = &commands;
	return cli_run(argc, argv, false);
}
