/* SPDX-License-Identifier: MIT */
/* Findings, drawn: what the formats share, and the part of each. */
#pragma once

#include "common/base/strbuf.h"
#include "analyzer/findings/finding.h"
#include "analyzer/render/style.h"

#include <jansson.h>

/* Appends "mean 120ms (limit 100ms) | calls 3". */
void finding_put_evidence(struct strbuf *buffer, const struct finding *finding);
/* Appends "up to 1.78s (29.0% of the run), at most 1.41 times faster"; nothing when
 * nothing can be saved. */
void finding_put_saving(struct strbuf *buffer, const struct findings *findings,
			const struct finding *finding);
/* Appends "T0 slow-call of load (high 49)" and so on. */
void finding_put_also(struct strbuf *buffer, const struct finding *finding);

void text_findings(const struct text_style *style, const struct section *section);
/* The findings as csv has them: a table with a row for each. Owned by caller. */
struct table *findings_as_table(const struct section *section);
/* One finding as json has it. Out of memory ends the program. */
json_t *finding_as_json(const struct findings *findings, size_t index);
