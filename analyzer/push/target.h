/* SPDX-License-Identifier: MIT */
/* A kind of server that runs are pushed to. */
#pragma once

#include "analyzer/push/http.h"
#include "analyzer/reports/report.h"

struct push {
	struct report_input *input; /* db and run_id: what is pushed */
	struct http *http;
	const char *url;     /* as the user gave it */
	struct strbuf where; /* set for each run: what people read of where it is */
	bool was_there;	     /* set for each run: the server had it already */
};

/* Pushes input's run; fails with input->error. */
enum exit_status gateway_push(struct push *push);
enum exit_status clickhouse_push(struct push *push);
