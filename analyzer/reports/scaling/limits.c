/* SPDX-License-Identifier: MIT */
/* The limits of growth that --fail-on of scaling has, for ../sql/scaling.sql, which
 * checks them. */
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"
#include "analyzer/statistics/gate.h"

SECTION_CODE(growth_limits)
{
	const char *text = ask->input->options->fail_on;
	struct rundb_insert *limits;
	struct strbuf error = {0};
	struct gate gate = {0};
	enum exit_status status = STATUS_OK;

	(void)doc, (void)rows;
	if (!text)
		return STATUS_OK;
	if (gate_parse_growth(&gate, text, &error) < 0)
		command_fail(STATUS_USAGE, "%s", strbuf_text(&error));
	limits = rundb_insert_begin(ask->input->db, "growth_limit", 4);
	for (size_t i = 0; !status && i < gate.count; i++) {
		const struct gate_limit *limit = &gate.limits[i];
		const struct cell cells[] = {
			cell_text(limit->text),
			cell_text(gate_metric_name(limit->metric)),
			cell_text(limit->function ? limit->function : ""),
			cell_text(limit->law)};

		rundb_insert_row(limits, cells);
	}
	if (rundb_insert_end(limits) < 0 && !status)
		report_fail_db(ask->input);
	gate_free(&gate);
	strbuf_free(&error);
	return status;
}
