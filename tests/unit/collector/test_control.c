/* SPDX-License-Identifier: MIT */
/*
 * What this is:  tests of what is written into a run's control file, and in which order.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/live/control.h"

#define TOKEN 0x1234567890abcdefull

struct fixture {
	char path[64];
	int directory_fd;
	struct segment_run page;
};

static void write_file(const struct fixture *fixture, size_t size)
{
	uint64_t header[offsetof(struct segment_control, settings) / 8] = {
		SEGMENT_MAGIC_CONTROL, TOKEN};
	int fd = openat(fixture->directory_fd, SEGMENT_CONTROL_NAME,
			O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, header, sizeof(header), 0), sizeof(header));
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	close(fd);
}

static int begin(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	snprintf(fixture->path, sizeof(fixture->path), "/tmp/control.XXXXXX");
	assert_non_null(mkdtemp(fixture->path));
	fixture->directory_fd = open(fixture->path, O_RDONLY | O_DIRECTORY);
	fixture->page.overhead_percent = 10;
	snprintf(fixture->page.skip, sizeof(fixture->page.skip), "tiny");
	write_file(fixture, sizeof(struct segment_control));
	*state = fixture;
	return 0;
}

static int end(void **state)
{
	struct fixture *fixture = *state;

	unlinkat(fixture->directory_fd, SEGMENT_CONTROL_NAME, 0);
	close(fixture->directory_fd);
	rmdir(fixture->path);
	free(fixture);
	return 0;
}

static void set(struct control *control, const struct fixture *fixture, double percent,
		const char *only)
{
	struct segment_setting setting;

	control_setting(control, &fixture->page, &setting);
	setting.overhead_percent = percent;
	snprintf(setting.only, sizeof(setting.only), "%s", only);
	assert_int_equal(control_set(control, &fixture->page, &setting), 0);
}

static void settings_follow_each_other(void **state)
{
	const struct fixture *fixture = *state;
	struct segment_setting setting;
	struct control control;

	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), 0);
	control_setting(&control, &fixture->page, &setting);
	assert_int_equal(setting.generation, 0);
	assert_string_equal(setting.skip, "tiny");
	set(&control, fixture, 5, "");
	control_setting(&control, &fixture->page, &setting);
	assert_int_equal(setting.generation, 1);
	assert_int_equal(setting.rules_generation, 0); /* the rules are the same */
	assert_true(setting.overhead_percent == 5);
	set(&control, fixture, 5, "main");
	set(&control, fixture, 0, "main");
	assert_int_equal(control_close(&control), 0);
	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), 0);
	control_setting(&control, &fixture->page, &setting);
	assert_int_equal(setting.generation, 3);
	assert_int_equal(setting.rules_generation, 2);
	assert_string_equal(setting.only, "main");
	assert_string_equal(setting.skip, "tiny");
	for (uint32_t i = 0; i < 3 * SEGMENT_SETTING_LIMIT; i++)
		set(&control, fixture, i, "main");
	control_setting(&control, &fixture->page, &setting);
	assert_int_equal(setting.generation, 3 + 3 * SEGMENT_SETTING_LIMIT);
	assert_int_equal(setting.rules_generation, 2);
	assert_int_equal(control_close(&control), 0);
}

static void tables_take_turns(void **state)
{
	const struct fixture *fixture = *state;
	struct segment_table *first, *second;
	struct control control;

	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), 0);
	first = control_begin_table(&control, 1, SEGMENT_FITTING_LIMIT);
	assert_non_null(first);
	/* the one in force is not touched */
	assert_ptr_equal(
		first, &control.shared->tables[!(control.shared->table_generation % 2)]);
	first->fittings[SEGMENT_FITTING_LIMIT - 1].rules = 1;
	control_publish_table(&control);
	assert_int_equal(control.shared->table_generation, 1);
	assert_ptr_equal(first, &control.shared->tables[1]);
	second = control_begin_table(&control, 0, 0);
	assert_ptr_equal(second, &control.shared->tables[0]);
	control_publish_table(&control);
	assert_int_equal(control.shared->table_generation, 2);
	assert_null(control_begin_table(&control, SEGMENT_ANSWER_LIMIT + 1, 0));
	assert_null(control_begin_table(&control, 0, SEGMENT_FITTING_LIMIT + 1));
	assert_int_equal(control_close(&control), 0);
}

static void odd_files_are_refused(void **state)
{
	const struct fixture *fixture = *state;
	struct control control;
	char other[96];
	int fd;

	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN + 1),
			 -EINVAL);
	fd = openat(fixture->directory_fd, SEGMENT_CONTROL_NAME, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), -EAGAIN);
	close(fd);
	write_file(fixture, sizeof(struct segment_control) - 1);
	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), -EINVAL);
	snprintf(other, sizeof(other), "%s/other", fixture->path);
	assert_int_equal(
		linkat(fixture->directory_fd, SEGMENT_CONTROL_NAME, AT_FDCWD, other, 0),
		0);
	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), -EPERM);
	unlink(other);
	unlinkat(fixture->directory_fd, SEGMENT_CONTROL_NAME, 0);
	assert_int_equal(
		symlinkat("/dev/zero", fixture->directory_fd, SEGMENT_CONTROL_NAME), 0);
	assert_true(control_open(&control, fixture->directory_fd, TOKEN) < 0);
}

static void a_file_that_is_cut_is_told(void **state)
{
	const struct fixture *fixture = *state;
	struct control control;
	int fd;

	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), 0);
	fd = openat(fixture->directory_fd, SEGMENT_CONTROL_NAME, O_RDWR);
	assert_int_equal(ftruncate(fd, 4096), 0);
	control.shared->settings[9].generation = 1;
	assert_int_equal(control_close(&control), -EIO);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(settings_follow_each_other, begin, end),
		cmocka_unit_test_setup_teardown(tables_take_turns, begin, end),
		cmocka_unit_test_setup_teardown(odd_files_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(a_file_that_is_cut_is_told, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
