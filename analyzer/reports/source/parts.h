/* SPDX-License-Identifier: MIT */
/* What the files behind --source share. */
#pragma once

#include "analyzer/document/source.h"
#include "analyzer/reports/report.h"

#include "common/base/strbuf.h"

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

/* tree.c: fails when one of them is no directory. To be closed either way. */
enum exit_status source_tree_open(struct report_input *input, struct source_tree *ret);
void source_tree_close(struct source_tree *tree);
/* Reads the file that the recorded name stands for: the name itself where it lies below a
 * root, else the longest end of it that is there below one. Returns NULL, or why it is
 * not read; then ret->path may be set. ret: source_text_free(). */
const char *source_tree_read(const struct source_tree *tree, const char *recorded,
			     struct source_text *ret);
void source_text_free(struct source_text *text);
