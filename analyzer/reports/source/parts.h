/* SPDX-License-Identifier: MIT */
/* Shared by the files behind --source. */
#pragma once

#include "analyzer/document/doc.h"
#include "analyzer/reports/report.h"

#include "common/base/text.h"

#include <sys/types.h>

/* A DIR of --source, held open. */
struct source_root {
	int fd;
	char *path; /* canonical */
	uid_t owner;
};

struct source_tree {
	struct source_root *roots;
	size_t count;
};

struct source_text {
	struct strbuf path; /* below its root */
	struct strbuf text; /* without NUL */
	int64_t changed_s;  /* since 1970 */
};

/* tree.c: fails if an argument is no directory. */
void source_tree_open(struct report_input *input, struct source_tree *ret);
/* Reads the file that a recorded name means: the name itself if it is below a root, else
 * the longest tail of it that exists below one. Returns NULL, or why it was not read
 * (ret->path may be set then). */
const char *source_tree_read(const struct source_tree *tree, const char *recorded,
			     struct source_text *ret);
