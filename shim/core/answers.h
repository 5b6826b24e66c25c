/* SPDX-License-Identifier: MIT */
/*
 * What the collector has found out about the functions of objects: which rules about
 * source files fit them (common/segment_control.h). Runs on: traced
 * threads, any context. Must not make a system call, or believe a number.
 */
#pragma once

#include <stdint.h>

#include "common/segment_control.h"
#include "shim/core/process.h"

/* Of one object; it does not change. */
struct answer {
	const struct segment_fitting *fittings;
	uint32_t count;
};

/* How many objects have been answered for. */
static inline uint32_t answers_count(void)
{
	const struct segment_control *control = process_facts.control;

	/* acquire: pairs with the release of who published them */
	return control ? __atomic_load_n(&control->answer_count, __ATOMIC_ACQUIRE) : 0;
}

/* 0: there is none, yet. */
int answers_find(const struct segment_module *module, struct answer *ret);

/* Each function that was answered, by its address in this process, and the bits of the
 * rules that fit it. */
typedef void (*answers_look)(void *data, uint64_t address, uint64_t rules);
void answers_each(const struct answer *answer, const struct segment_module *module,
		  answers_look look, void *data);
