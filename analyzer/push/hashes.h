/* SPDX-License-Identifier: MIT */
/*
 * 61 bits of what a function and a call path are, the same in all runs and builds: a
 * store has each once. Functions are told by name, file and module without directories; a
 * path by its caller's and its function. Whoever chooses names can make two the same.
 */
#pragma once

#include "analyzer/reports/report.h"

struct hash_of {
	int64_t id, hash;
};

struct hashes {
	struct hash_of *functions, *stacks; /* by id */
	size_t function_count, stack_count;
};

/* Reads the functions and paths of input's run, and gives SQL the functions
 * function_hash(id) and stack_hash(id); 0 for what there is not. False: input->error. */
bool hashes_begin(struct report_input *input, struct hashes *ret);
void hashes_end(struct report_input *input, struct hashes *hashes);
