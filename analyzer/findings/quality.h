/* SPDX-License-Identifier: MIT */
/*
 * What is known about a recording that makes findings less certain, and what it does to
 * their confidence. Must not raise a confidence.
 *
 * Texts are borrowed: those that the rule makes live in the arena of the findings.
 */
#pragma once

#include "common/base/strbuf.h"
#include "common/trust.h"
#include "analyzer/findings/finding.h"

struct quality_fact {
	const char *name, *unit; /* "hook_share", "ratio" */
	double value, limit;
	bool has_limit;	      /* else: any is too much, and value is a count */
	unsigned touches;     /* enum trust_touches; 0: it makes no finding less sure */
	enum confidence most; /* that a touched finding can have */
	const char *text;     /* a clause: "the hooks took 90 % of the time" */
	const char *advice;   /* what to do first */
};

#define QUALITY_FACTS 16

/* Zeroed: nothing is known to be wrong. The facts that weigh most come first. */
struct quality {
	struct quality_fact facts[QUALITY_FACTS];
	size_t count;
};

/* Adds a fact, in front of those that weigh less; none when there is no room. */
void quality_add(struct quality *quality, const struct quality_fact *fact);
/* Lowers the confidence of the findings that the facts touch, before they are rated.
 * touched: what a finding rests on. */
void quality_lower(const struct quality *quality, struct findings *findings,
		   unsigned (*touched)(const struct finding *finding));
/* Appends "findings about time and memory have at most medium confidence"; nothing of a
 * fact that touches none. */
void quality_put_effect(struct strbuf *text, const struct quality_fact *fact);
/* Appends all facts, and what they do together: "A; B. So findings about ...". */
void quality_put_summary(struct strbuf *text, const struct quality *quality);
