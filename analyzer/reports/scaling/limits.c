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
	struct gate gate = {0};

	(void)doc, (void)rows;
	if (!text)
		return;
	gate_parse_growth(&gate, text);
	limits = rundb_insert_begin(ask->input->db, "growth_limit");
	for (size_t i = 0; i < gate.count; i++) {
		const struct gate_limit *limit = &gate.limits[i];

		rundb_insert_row(
			limits,
			(struct cell[]){cell_text(limit->text),
					cell_text(gate_metric_name(limit->metric)),
					cell_text(limit->function ?: ""),
					cell_text(limit->law)});
	}
	rundb_insert_end(limits);
}
