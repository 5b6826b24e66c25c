/* SPDX-License-Identifier: MIT */
/* Findings, drawn: what the formats share, and the part of each. */
#pragma once

#include "common/base/strbuf.h"
#include "analyzer/findings/finding.h"
#include "analyzer/render/style.h"

#include <jansson.h>

enum fact_kind {
	FACT_TEXT,
	FACT_CODE,
	FACT_CHAIN,  /* as a COLUMN_CHAIN cell has it */
	FACT_ADVICE, /* one of several, with its number from 1 */
};

/* One of the things that are known of a finding. */
struct fact {
	const char *label, *text; /* never empty; valid while it is put */
	enum fact_kind kind;
	size_t number;
};

/* Puts all there is to say of a finding but its first line, in the order in which it is
 * read. */
void finding_each_fact(const struct section *section, const struct finding *finding,
		       void (*put)(void *context, const struct fact *fact),
		       void *context);

/* Appends "parse", "region 'parse'" or "step 'frame'", in at most width columns; of the
 * whole run nothing. */
void finding_put_name(struct strbuf *buffer, const struct finding *finding, size_t width,
		      const struct shorten_style *style);
/* Appends "mean 120ms (limit 100ms) | calls 3". */
void finding_put_evidence(struct strbuf *buffer, const struct finding *finding);
/* Appends what the whole of it would bring, "at most 1.41x faster"; nothing when no bound
 * is known. is_long: with what it is of what. */
void finding_put_bound(struct strbuf *buffer, const struct findings *findings,
		       const struct finding *finding, bool is_long);
/* Appends what to try first, and the bound: "inline it; at most 1.16x faster". */
void finding_put_answer(struct strbuf *buffer, const struct findings *findings,
			const struct finding *finding);
/* Appends "T0 slow-call of load (high)" and so on. */
void finding_put_also(struct strbuf *buffer, const struct finding *finding);

void text_findings(const struct text_style *style, const struct section *section);
/* The findings as csv has them: a table with a row for each. Owned by caller. */
struct table *findings_as_table(const struct section *section);
/* One finding as json has it. Out of memory ends the program. */
json_t *finding_as_json(const struct findings *findings, size_t index);
