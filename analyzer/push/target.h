/* SPDX-License-Identifier: MIT */
/* A kind of server that runs are pushed to. */
#pragma once

#include "analyzer/reports/report.h"

struct push {
	struct report_input *input; /* db and run_id: what is pushed */
	const char *url;	    /* as the user gave it */
	struct strbuf where; /* set for each run: what people read of where it is */
	bool was_there;	     /* set for each run: the server had it already */
};

/* Pushes input's run, or ends the command. */
void gateway_push(struct push *push);
void clickhouse_push(struct push *push);
