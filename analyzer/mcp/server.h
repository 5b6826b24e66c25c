/* SPDX-License-Identifier: MIT */
/* A session with a client of the Model Context Protocol. */
#pragma once

#include "common/base/status.h"

#include <stdio.h>

/* A longer message is refused. */
#define MCP_LINE_MOST (1u << 20)

/* Answers what comes from in until its end. database: of calls that name none; NULL: they
 * have to. STATUS_OK, or STATUS_FAILED when out cannot be written. */
enum exit_status mcp_serve(FILE *in, FILE *out, const char *database);
