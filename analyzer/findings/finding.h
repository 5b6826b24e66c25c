/* SPDX-License-Identifier: MIT */
/*
 * A finding: something worth fixing, with its evidence. Also lists of findings: rating,
 * merging, ranking. Must not know SQL, rules or formats.
 *
 * Texts are borrowed: those made by rules live in the arena of their list. Paths are
 * written with " > " between functions.
 */
#pragma once

#include "common/base/xalloc.h"
#include "analyzer/tree/calltree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rule; /* analyzer/rules/rule.h */

enum severity {
	SEVERITY_INFO,
	SEVERITY_LOW,
	SEVERITY_MEDIUM,
	SEVERITY_HIGH,
	SEVERITY_CRITICAL,
};
#define SEVERITY_COUNT (SEVERITY_CRITICAL + 1)

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* unit: "ns", "bytes", "count", "percent", "ratio", "per_s". */
struct evidence {
	const char *name, *unit;
	double value, limit;
	bool has_limit; /* the limit that the value crossed */
	double error;	/* half the width of the 95 % interval; 0: exact */
};

#define FINDING_EVIDENCE 8
#define FINDING_ADVICE 4

/* A finding on the same path that went into this one. */
struct finding_also {
	const struct rule *rule;
	enum severity severity;
	double score;
	int64_t path_id;
	const char *function;
};

struct finding {
	const struct rule *rule;
	char kind;	   /* first letter of the rule's id: T is time, M memory */
	unsigned specific; /* of the rule */
	const struct rule *const *explains; /* the rule's; NULL: it explains none */
	enum confidence confidence;
	/* Rates the finding: a share of the run's time or of its peak, 0 to 1. */
	double impact;
	/* Set by findings_finish(): */
	double score; /* 0 to 100 */
	enum severity severity;
	/* Set by the rule: the score is raised to the band of this severity, */
	enum severity least_severity;
	/* and limited to the band of this one. */
	enum severity most_severity;
	bool is_capped;
	int64_t function_id, path_id; /* 0: about the whole run */
	const char *function, *path;  /* "parse", "main > parse" */
	const char *chain;	      /* the path as a COLUMN_CHAIN cell has it */
	const char *
		calls; /* where each function on the path is called, "FILE:LINE" or "?" */
	bool is_region;	  /* function names a region */
	const char *step; /* name of the steps it is about; NULL: none */
	/* Memory: the allocator wrappers below the path, outermost first, in the same
	 * form as path; NULL: none. */
	const char *through;
	const char *file; /* the function's, or the place's; NULL: not known */
	uint32_t line;
	const char *where; /* for people: "parse.c:31" */
	struct evidence evidence[FINDING_EVIDENCE];
	size_t evidence_count;
	/* The most that can be saved; 0: nothing of this kind. findings_finish() limits
	 * the time to the run's. */
	double saving_ns, saving_bytes, saving_allocs;
	double saving_share; /* saving_ns by the run's time, 0 to 1 */
	/* The base of saving_bytes if that is a sum over processes: their peaks together;
	 * 0: the run's peak. */
	double saving_of_bytes;
	const char
		*says; /* the first line, behind the name: "called 3,816,870 times ..." */
	const char *why; /* one sentence that says only what the data shows */
	const char
		*advice[FINDING_ADVICE + 1]; /* most useful first; NULL after the last */
	const char *sql;    /* proves the finding in 'prof-analyze sql' */
	const char *verify; /* command that shows whether a fix helped */
	/* Set by findings_finish(): */
	struct finding_also *also;
	size_t also_count;
};

/* Zeroed: an empty list. */
struct findings {
	struct finding *list;
	size_t count;
	struct arena texts;
	double peak_bytes; /* the run's peak, the base of saving_bytes */
	double wall_ns;	   /* of the run; 0: not known */
};

/* How many times faster the run can become at most (Amdahl); 0: no bound worth
 * telling. */
double finding_ceiling(const struct finding *finding);

/* A new finding of medium confidence, borrowed until the next is added. */
struct finding *findings_add(struct findings *findings, const struct rule *rule,
			     char kind, unsigned specific);

/* The function or step it is about; NULL: the whole run. */
const char *finding_name(const struct finding *finding);

/* Adds a measured value; with_limit: also the limit that it crossed. */
void finding_evidence(struct finding *finding, const char *name, const char *unit,
		      double value);
void finding_evidence_limit(struct finding *finding, const char *name, const char *unit,
			    double value, double limit);
/* Sets the error of the value added last. */
void finding_evidence_error(struct finding *finding, double error);
/* Adds pieces of advice, the most useful first; texts are borrowed. */
#define finding_advise(finding, ...)                                                     \
	finding_add_advice(finding, (const char *const[]){__VA_ARGS__, NULL})
void finding_add_advice(struct finding *finding, const char *const *texts);

/* Limits the severity: the data does not justify more. */
void finding_cap_severity(struct finding *finding, enum severity most);
/* Sets the severity, whatever the impact. */
void finding_fix_severity(struct finding *finding, enum severity severity);

/*
 * score = 100 (1 - e^(-4 impact)) c, with c = 0.5, 0.75, 1 by confidence, and at least
 * the lowest score of least_severity, at most the highest of most_severity.
 * Bands: critical from 63 (an impact of 0.25 at high confidence), high from 33 (0.10),
 * medium from 11 (0.03), low from 3.9 (0.01).
 */
void finding_rate(struct finding *finding);

/* "info" to "critical"; "low", "medium", "high". */
const char *severity_word(enum severity severity);
const char *confidence_word(enum confidence confidence);
/* The severity of a word; -EINVAL. */
int severity_parse(const char *word, enum severity *ret);
