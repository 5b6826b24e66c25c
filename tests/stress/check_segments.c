/* SPDX-License-Identifier: MIT */
/*
 * What this is:  checks the invariants of segment files that a run has left behind.
 *                usage: check_segments quiet|busy FILE...
 * Runs on:       tests; after the run.
 * See also:      tests/stress/check.h, which says what quiet means
 */
#include <stdio.h>
#include <string.h>

#include "tests/stress/check.h"

static unsigned check_one(const char *path, int is_quiet)
{
	struct check check;
	int result = check_open(&check, path, is_quiet);

	if (result < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(-result));
		return 1;
	}
	check_file(&check);
	printf("%u slots, %u failures\n", check.slot_count, check.failure_count);
	check_close(&check);
	return check.failure_count;
}

int main(int argc, char **argv)
{
	unsigned failures = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: %s quiet|busy FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		failures += check_one(argv[i], strcmp(argv[1], "quiet") == 0);
	return failures != 0;
}
