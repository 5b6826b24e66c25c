/* SPDX-License-Identifier: MIT */
/*
 * The functions of one object that rules fit. A confined child reads the object; its time
 * is bounded for all objects together. Runs on: one thread. Must not look at processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/segment_control.h"
#include "common/selection.h"

struct resolver;

/* For these rules, which are borrowed. */
struct resolver *resolver_new(const struct selection *selection);
void resolver_free(struct resolver *resolver);

/* fittings: ascending by address, owned by the caller (free). trouble: why rules may fit
 * less than they should, for people; NULL: nothing is wrong. */
struct resolved {
	struct segment_fitting *fittings;
	size_t count;
	bool has_hooks;
	const char *trouble;
};

/* Reads the object's symbols and debug information, when it has hooks. */
void resolver_read(struct resolver *resolver, const struct segment_module *module,
		   struct resolved *ret);
