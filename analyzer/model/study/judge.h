/* SPDX-License-Identifier: MIT */
/* The judgement of a study whose calls are all there. */
#pragma once

#include "analyzer/model/study/study.h"

/* Says which calls are slow and which usual, and why the slow ones are. median_ns: of all
 * calls of the function, kept or not, for when few were kept by chance; 0: of those that
 * are here. */
void study_judge(struct study *study, double median_ns);
