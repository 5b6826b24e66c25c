/* SPDX-License-Identifier: MIT */
/* What the formats share for findings, and each format's part. */
#pragma once

#include "common/base/text.h"
#include "analyzer/findings/finding.h"
#include "analyzer/render/style.h"

#include <jansson.h>

enum fact_kind {
	FACT_TEXT,
	FACT_CODE,
	FACT_CHAIN,  /* as a COLUMN_CHAIN cell has it */
	FACT_ADVICE, /* one of several, numbered from 1 */
};

/* One fact about a finding. */
struct fact {
	const char *label, *text; /* never empty; valid while it is put */
	enum fact_kind kind;
	size_t number;
};

/* Puts all facts but the first line, in reading order. */
void finding_each_fact(const struct section *section, const struct finding *finding,
		       void (*put)(void *context, const struct fact *fact),
		       void *context);

/* Appends "parse", "region 'parse'" or "step 'frame'" in at most width columns; nothing
 * for the whole run. */
void finding_put_name(struct strbuf *buffer, const struct finding *finding, size_t width,
		      const struct shorten_style *style);
/* Appends "mean 120ms (limit 100ms) | calls 3". */
void finding_put_evidence(struct strbuf *buffer, const struct finding *finding);
/* Appends the most that fixing it can gain, "at most 1.41x faster", or nothing if that is
 * not known. is_long: with time and share. */
void finding_put_bound(struct strbuf *buffer, const struct findings *findings,
		       const struct finding *finding, bool is_long);
/* Appends the first advice and the bound: "inline it; at most 1.16x faster". */
void finding_put_answer(struct strbuf *buffer, const struct findings *findings,
			const struct finding *finding);
/* The findings as a table for csv, one row each. Owned by caller. */
struct table *findings_as_table(const struct section *section);
/* One finding for json. Out of memory ends the program. */
json_t *finding_as_json(const struct findings *findings, size_t index);
