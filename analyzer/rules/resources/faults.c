/* SPDX-License-Identifier: MIT */
/*
 * Rule M11: memory that is taken from the kernel and given back again and again, page by
 * page. Must not blame the first touch of memory that stays: that is the price of it.
 */
#include "analyzer/rules/rule.h"
#include "analyzer/rules/time/run.h"

#include <math.h>

#define PAGE_BYTES 4096

static void add(struct rule_input *input, struct findings *ret, double repeated,
		bool is_storm)
{
	const struct time_run *run = input->time_run;
	double run_ns = run->run_ns;
	double major_ns = run->major_faults * rule_limit(input, "major_ns");
	double minor_ns =
		fmin(repeated * rule_limit(input, "minor_ns"), run->sampled_cpu_ns);
	/* Threads side by side wait for their faults at once. */
	double side_by_side = fmax(1, run->sampled_cpu_ns / run->span_ns);
	struct finding *finding = rule_add(input, ret);

	finding->confidence = CONFIDENCE_HIGH;
	finding->saving_ns = fmin((minor_ns + major_ns) / side_by_side, run_ns);
	finding->impact = rule_share(finding->saving_ns, run_ns);
	rule_evidence(input, finding, "page faults", "per_s",
		      run->minor_faults / run->span_ns * 1e9, "minor_per_s");
	rule_evidence(input, finding, "page faults", "count", run->minor_faults, NULL);
	rule_evidence(input, finding, "beyond the largest RSS", "count", repeated, NULL);
	rule_evidence(input, finding, "cost of a fault", "ns",
		      rule_limit(input, "minor_ns"), NULL);
	rule_evidence(input, finding, "faults that read a disk", "count",
		      run->major_faults, "major_count");
	finding->evidence[0].has_limit = is_storm;
	finding->evidence[4].has_limit =
		finding->evidence[4].value >= finding->evidence[4].limit;
	if (is_storm)
		finding->why = "pages were handed out far more often than there was "
			       "memory to hold: the same memory came and went";
	else
		finding->why = "many pages had to be read from a disk when they were "
			       "touched";
	if (finding->evidence[4].has_limit)
		finding_advise(finding, "see what is read: mapped files, or memory that "
					"was swapped out ('vmstat 1' while it runs)");
	if (!is_storm)
		return;
	finding_advise(finding, "keep large buffers and use them again",
		       "let the allocator keep what is freed: mallopt(M_MMAP_THRESHOLD, "
		       "...) and M_TRIM_THRESHOLD",
		       "take pages at once: MAP_POPULATE, or huge pages by "
		       "madvise(MADV_HUGEPAGE)");
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	const struct time_run *run = input->time_run;
	bool is_storm;
	double repeated;

	repeated = fmax(0, run->minor_faults - run->rss_peak_bytes / PAGE_BYTES);
	is_storm = run->minor_faults >=
			   rule_limit(input, "minor_per_s") * run->span_ns / 1e9 &&
		   repeated >= rule_limit(input, "repeated_part") * run->minor_faults;
	if (is_storm || run->major_faults >= rule_limit(input, "major_count"))
		add(input, ret, repeated, is_storm);
	return RULE_DONE;
}

static const struct rule_limit limits[] = {
	{"minor_per_s", 10000, "per_s", .meaning = "page faults"},
	{"repeated_part", 0.5, "ratio",
	 .meaning =
		 "part of them that must lie beyond the pages that the largest RSS holds",
	 .most = 1},
	{"minor_ns", 1500, "ns",
	 .meaning = "cost of a fault; measured, see docs/rules-calibration.md"},
	{"major_count", 1000, "count",
	 .meaning = "faults that read a disk; enough by themselves"},
	{"major_ns", 0, "ns",
	 .meaning = "cost of such a fault: set what the disk takes; 0: not known, no "
		    "gain is told"},
	{0},
};

const struct rule rule_page_faults = {
	.id = "M11",
	.slug = "page-fault-storm",
	.limits = limits,
	.title = "The same memory is taken from the kernel again and again",
	.summary = "page faults come at a high rate and for more pages than the program "
		   "ever held, or many of them read a disk",
	.specific = 1,
	.needs = MEASURED_WALL | MEASURED_SAMPLES,
	.evaluate = evaluate,
	.proof = "SELECT process_id, time_ns, minor_faults, major_faults, rss_bytes FROM "
		 "resources WHERE run_id = {run} ORDER BY process_id, time_ns",
};
