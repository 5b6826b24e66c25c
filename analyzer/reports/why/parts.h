/* SPDX-License-Identifier: MIT */
/* The parts of the command `why`. */
#pragma once

#include "analyzer/tree/calltree.h"
#include "analyzer/model/study/study.h"
#include "analyzer/reports/report.h"

/* One call that was kept; parallel to study.calls. */
struct why_case {
	int64_t case_id, number, started_ns, duration_ns, ready_ns, tid, lane_id;
	int64_t beside_calls, beside_ns, folded_parts;
	bool is_first; /* it went, below the path of its cause, where nobody had been */
	/* of its longest wait, in the document; NULL: not known */
	const char *wait_kind, *lock, *holder;
};

/* A studied function, or step (function_id 0). All owned: why_done(). */
struct why_study {
	int64_t study_id, function_id, calls, missed_calls, ready_calls, ready_ns;
	int64_t folded_paths, cost_ns, median_ns, slowest_ns;
	const char *name, *kind, *reason; /* in the document */
	struct study study;
	struct why_case *cases;
};

struct why {
	struct calltree *tree;
	struct why_study *all; /* the one with the slowest call first */
	size_t count;
};

/* The run's studies, judged. */
enum exit_status why_load(struct report_input *input, struct doc *doc, struct why *ret);
void why_done(struct why *why);

/* Of a path of a study. */
const char *why_path_name(const struct why *why, const struct study *study,
			  uint32_t path);

/* What a slow call did, in words. */
void why_put_cause(const struct why *why, const struct why_study *from, size_t number,
		   struct strbuf *text);
/* "blocked", "more_calls" and so on. */
const char *why_kind_word(enum study_kind kind);

/* All studied functions, a row each. */
enum exit_status why_show_list(struct report_input *input, const struct why *why,
			       struct doc *doc);
/* One of them: its slow calls, and what they did path by path. */
enum exit_status why_show_study(struct report_input *input, const struct why *why,
				const struct why_study *from, struct doc *doc);
/* Of each studied function its slow calls, as a part of the report. */
enum exit_status why_add_brief(struct report_input *input, struct doc *doc);
