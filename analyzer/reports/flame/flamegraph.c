/* SPDX-License-Identifier: MIT */
/*
 * The reports flamegraph (a picture) and export (for other programs). Must not write
 * files: export/ does.
 */
#include "analyzer/reports/flame/parts.h"

#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/profile/parts.h"

#define USUAL_LEAST_PERCENT 0.1
/* Smaller callers are not followed: there are far more callers of all functions than call
 * paths. 100,000 paths made a picture of 284 MB. */
#define LEAST_INVERTED_PERCENT 0.01

static enum exit_status build_picture(struct report_input *input, struct doc *doc)
{
	const struct report_options *options = input->options;
	double least = options->min_share;
	enum exit_status status =
		flame_build(input, doc,
			    (options->fold_library ? CALLTREE_LIBRARY : 0) |
				    (options->unfold_threads ? 0 : CALLTREE_THREADS),
			    FLAME_CPU);

	if (status && status != STATUS_NOTHING)
		return status;
	if (least < 0)
		least = USUAL_LEAST_PERCENT;
	if (doc->flame && doc->flame->metric == FLAME_SELF) {
		least = least < LEAST_INVERTED_PERCENT ? LEAST_INVERTED_PERCENT : least;
		doc->flame = flame_invert(doc->flame, least);
	}
	if (doc->flame)
		flame_lay_out(doc->flame, least);
	return status;
}

static enum exit_status build_export(struct report_input *input, struct doc *doc)
{
	if (input->options->lines)
		return engine_build(input->options->lines, input, doc);
	if (input->options->profile)
		return profile_build(input, doc);
	return flame_build(
		input, doc,
		input->options->fold_library ? CALLTREE_LIBRARY | CALLTREE_THREADS : 0,
		FLAME_TIME);
}

#define WHAT_IS_SHOWN                                                                    \
	"--metric says what is shown: time, self (time again, by the functions that "    \
	"spent it, their callers below them), cpu, ready (CPU wait), blocked "           \
	"(sleeps), calls, bytes and allocs (allocated), "                                \
	"live (at exit), at-peak. Without it a picture shows cpu where that is known, "  \
	"otherwise time; bytes when no function was instrumented. --snapshot shows it "  \
	"as it was at a snapshot (its label, its "                                       \
	"number, 'start', 'exit', 'peak'), with live for the usual metric. Recursion "   \
	"is "                                                                            \
	"folded: a function stands once on any path.\n\n"                                \
	"--diff BEFORE.db shows the difference between that file's run and DB's; "       \
	"--before and --after that between two runs of one file (label or number) or, "  \
	"when no runs are called that, between two snapshots of a run: the difference "  \
	"in "                                                                            \
	"live memory, and the time, calls and allocations in between. A "                \
	"label that several runs share stands for their mean. '#N' is always a "         \
	"snapshot's number."

const struct report report_flamegraph = {
	.name = "flamegraph",
	.summary = "call paths as one picture (SVG) for a browser",
	.description =
		"Writes one self-contained SVG file: callers are above their callees, "
		"and a frame's width is its share with everything below it. In "
		"a browser a click zooms, / searches, the arrow keys walk. Frames below "
		"--min-share percent of the whole (0.1) are left out, and the last line "
		"says how many. Library code is dim; --fold-library merges it into one "
		"frame 'library'. Functions of the C++ library that run a thread or a "
		"task are one frame 'thread of F'; --unfold-threads shows "
		"them. " WHAT_IS_SHOWN
		"\n\nIn a difference a frame is as wide as on the side after; blue is "
		"less, orange more, purple new, grey the same within 5% (time) or 1%, "
		"with everything below; what is gone is listed. A difference in time "
		"that the runs do not prove is grey, too (fewer than four a side prove "
		"none); a frame's title has the interval (95%).",
	.example = "prof-analyze flamegraph run.db --metric bytes -o bytes.svg",
	.format = "svg",
	.takes = TAKES_RUN | TAKES_FILTER | TAKES_INLINED | TAKES_THREAD | TAKES_PROCESS |
		 TAKES_FLAME | TAKES_PICTURE,
	.build = build_picture,
};

const struct report report_export = {
	.name = "export",
	.argument = "FORMAT",
	.summary = "call paths for other programs: pprof, callgrind",
	.description =
		"FORMAT folded: one line for each call path, the functions from the root "
		"joined by ';', a space, and what the path has by itself as a whole "
		"number (ns, bytes, or a count); of a difference two numbers, before and "
		"after. flamegraph.pl, inferno and speedscope read it. A ';' in a name "
		"becomes ':'. Nothing is left out; with --fold-library code of libraries "
		"is "
		"one function 'library', and what runs a thread 'thread of "
		"F'. " WHAT_IS_SHOWN
		"\n\nThe other formats hold the whole run with all metrics, by thread "
		"where the format can, and a line that says what was left out and what "
		"is an estimate: pprof (gzipped, for go tool pprof), speedscope (JSON), "
		"callgrind (for KCachegrind and callgrind_annotate), chrome "
		"or perfetto (slow calls, steps, waits, snapshots and counters over "
		"time, JSON, for Perfetto). They take --run, --thread, --focus, --ignore "
		"and "
		"--inlined, and no --metric.",
	.example = "prof-analyze export folded run.db --metric calls -o calls.txt",
	.takes = TAKES_RUN | TAKES_FILTER | TAKES_INLINED | TAKES_THREAD | TAKES_PROCESS |
		 TAKES_FLAME,
	.build = build_export,
};
