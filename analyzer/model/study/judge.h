/* SPDX-License-Identifier: MIT */
/* Judges a study once all calls are in it. */
#pragma once

#include "analyzer/model/study/study.h"

/* Marks slow and usual calls, and sets the cause of each slow one. median_ns: over
 * all calls of the function, used when few calls were kept by chance; 0: use the
 * kept calls. */
void study_judge(struct study *study, double median_ns);
