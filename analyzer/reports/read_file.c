/* SPDX-License-Identifier: MIT */
/*
 * A file that the user names, read whole. Must not read without bound: it may be a
 * device.
 */
#include "analyzer/reports/read_file.h"

#include "analyzer/reports/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LARGEST_FILE (16u << 20)

enum exit_status report_read_file(struct report_input *input, const char *path,
				  const char *what, struct strbuf *ret)
{
	FILE *file = fopen(path, "re");
	char part[4096];
	size_t size;
	int failure = errno;

	if (!file)
		return report_fail(input, STATUS_FAILED, "%s: cannot be read: %s", path,
				   strerror(failure));
	errno = 0;
	while (ret->size <= LARGEST_FILE &&
	       (size = fread(part, 1, sizeof(part), file)) > 0)
		strbuf_add(ret, part, size);
	failure = ferror(file) ? errno : 0;
	fclose(file);
	if (failure)
		return report_fail(input, STATUS_FAILED, "%s: cannot be read: %s", path,
				   strerror(failure));
	if (ret->size > LARGEST_FILE)
		return report_fail(input, STATUS_USAGE, "%s: is too large for %s", path,
				   what);
	return STATUS_OK;
}
