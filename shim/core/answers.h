/* SPDX-License-Identifier: MIT */
/*
 * The collector's answers: which rules about source files fit an object's functions
 * (common/segment_control.h). Runs on: traced threads, any context. Must not make a
 * system call, nor use a number unchecked.
 */
#pragma once

#include <stdint.h>

#include "common/segment_control.h"
#include "shim/core/process.h"

/* The answer for one object. It does not change. */
struct answer {
	const struct segment_fitting *fittings;
	uint32_t count;
};

/* How many answers there are. */
static inline uint32_t answers_count(void)
{
	const struct segment_control *control = process_facts.control;

	/* acquire: pairs with the release of who published them */
	return control ? __atomic_load_n(&control->answer_count, __ATOMIC_ACQUIRE) : 0;
}

/* 0: there is none, yet. */
int answers_find(const struct segment_module *module, struct answer *ret);

/* Shows each function of an answer: its address in this process, and the bits of the
 * rules that fit it. */
typedef void (*answers_look)(void *data, uint64_t address, uint64_t rules);
void answers_each(const struct answer *answer, const struct segment_module *module,
		  answers_look look, void *data);
