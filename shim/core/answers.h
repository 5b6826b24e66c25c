/* SPDX-License-Identifier: MIT */
/*
 * What the collector has found out about the functions of objects: which rules about
 * source files and components fit them (common/segment_control.h). Runs on: traced
 * threads, under the lock; the constructor. Must not make a system call, or believe a
 * number.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

struct segment_fitting;

/* Of one object; it is valid as long as answers_hold() says so. */
struct answer {
	uint64_t generation;			/* of the table; 0: of none */
	const struct segment_fitting *fittings; /* in the table */
	uint32_t count;
};

/* 0: there is none about the rules of this generation. */
int answers_find(const struct segment_module *module, uint64_t rules_generation,
		 struct answer *ret);

/* Each function that was answered, by its address in this process, and the bits of the
 * rules that fit it. */
typedef void (*answers_look)(void *data, uint64_t address, uint64_t rules);
void answers_each(const struct answer *answer, const struct segment_module *module,
		  answers_look look, void *data);

/* Tells answers of different contents apart. */
uint64_t answers_hash(const struct answer *answer);

/* 0: what was read since answers_find() may be of another table. */
int answers_hold(const struct answer *answer);
