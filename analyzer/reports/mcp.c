/* SPDX-License-Identifier: MIT */
/* The command `mcp`, which shows no document: analyzer/mcp answers a client. */
#include "analyzer/reports/report.h"

const struct report report_mcp = {
	.name = "mcp",
	.summary = "answer an editor or agent (Model Context Protocol)",
	.description =
		"Speaks the Model Context Protocol on standard input and output: the "
		"reports "
		"as tools with bounded answers, for editors and agents. It ends with its "
		"input. DB is the database of calls that name none. Nothing is "
		"written.\n\n"
		"docs/mcp.md tells how to set up an editor.",
	.example = "prof-analyze mcp run.db",
	.takes = TAKES_NO_DATABASE | TAKES_CLIENT,
};
