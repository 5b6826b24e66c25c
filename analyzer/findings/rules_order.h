/* SPDX-License-Identifier: MIT */
/*
 * The order in which limits must stand, see rules_file.h: those that contradict each
 * other are refused. Must not be called before the limits are known.
 */
#pragma once

#include "analyzer/findings/rules_file.h"

#include <jansson.h>

struct json_source;

/* Takes the default file's order, NULL: none. 0 or -EINVAL (then the error is set). */
int rules_order_define(struct rules_file *rules, const struct json_source *source,
		       const json_t *order);
/* Whether it is the order of the default file. */
bool rules_order_equals(const struct rules_file *rules, const json_t *order);
/* 0, or -EINVAL and the error at a limit that the source names. */
int rules_order_check(const struct rules_file *rules, const struct json_source *source);
