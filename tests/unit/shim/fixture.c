/* SPDX-License-Identifier: MIT */
/*
 * What this is:  see fixture.h.
 */
#include "tests/unit/shim/fixture.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "shim/boot/boot.h"
#include "shim/memory/shadow.h"
#include "shim/events/context.h"

static char directory[] = "/tmp/profshim-test-XXXXXX";
static char output[64];

void fixture_begin(unsigned int path_limit)
{
	char error[512] = "";
	static struct segment_run run = {.follow = 1, .stack_depth_limit = 64};
	struct config config = {.run = &run};
	int first = 0;

	assert_non_null(mkdtemp(directory));
	snprintf(output, sizeof(output), "%s/run.db", directory);
	config.output = output;
	run.path_limit = path_limit;
	assert_int_equal(run_open(&config, &first, error, sizeof(error)), 0);
	assert_int_equal(first, 1);
	assert_int_equal(shadow_begin(4), 0);
	assert_int_equal(run_create_segment(&config, error, sizeof(error)), 0);
	assert_non_null(context_acquire());
}

void fixture_end(void)
{
	unlink(process_file_path);
	run_abandon();
	run_settle();
	assert_int_equal(rmdir(directory), 0);
}
