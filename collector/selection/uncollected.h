/* SPDX-License-Identifier: MIT */
/*
 * Answers for a run that has no collector, once: what its processes list later has none.
 * Runs on: prof-analyze.
 */
#pragma once

#include "common/base/strbuf.h"
#include "collector/read/rundir.h"

/* When nobody collects the run, answers for all objects listed so far. trouble: what
 * could not be told, a sentence, or nothing. */
void uncollected_answer(const struct rundir *rundir, const struct segment_run *run,
			struct strbuf *trouble);
