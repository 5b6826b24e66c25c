/* SPDX-License-Identifier: MIT */
/* What this is: what is written into a run's control file. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "collector/live/control.h"
#include "tests/unit/tests.h"

#define TOKEN 0x1234567890abcdefull

struct fixture {
	char path[64];
	int directory_fd;
};

static void write_file(const struct fixture *fixture, size_t size)
{
	uint64_t header[offsetof(struct segment_control, answers) / 8] = {
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

TEST_WITH(answers_are_appended, begin, end)
{
	const struct fixture *fixture = *state;
	struct segment_fitting *fittings =
		calloc(SEGMENT_FITTING_LIMIT, sizeof(*fittings));
	struct segment_answer object = {.inode = 5};
	struct control control;

	fittings[0].rules = 7;
	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), 0);
	assert_int_equal(control_answer(&control, &object, fittings, 2), 0);
	assert_int_equal(control.shared->answer_count, 1);
	object.inode++;
	assert_int_equal(control_answer(&control, &object, fittings, 0), 0);
	assert_int_equal(control_answer(&control, &object, fittings, 3), 0);
	assert_int_equal(control.shared->answer_count, 3);
	assert_int_equal(control.shared->answers[0].inode, 5);
	assert_int_equal(control.shared->answers[2].inode, 6);
	assert_int_equal(control.shared->answers[2].first, 2);
	assert_int_equal(control.shared->answers[2].count, 3);
	assert_int_equal(control.shared->fittings[2].rules, 7);
	assert_int_equal(
		control_answer(&control, &object, fittings, SEGMENT_FITTING_LIMIT - 4),
		-E2BIG);
	assert_int_equal(
		control_answer(&control, &object, fittings, SEGMENT_FITTING_LIMIT - 5),
		0);
	assert_int_equal(control_answer(&control, &object, fittings, 1), -E2BIG);
	for (uint32_t i = 4; i < SEGMENT_ANSWER_LIMIT; i++)
		assert_int_equal(control_answer(&control, &object, NULL, 0), 0);
	assert_int_equal(control_answer(&control, &object, NULL, 0), -E2BIG);
	assert_int_equal(control.shared->answer_count, SEGMENT_ANSWER_LIMIT);
	control_close(&control);
	free(fittings);
}

TEST_WITH(odd_files_are_refused, begin, end)
{
	const struct fixture *fixture = *state;
	struct control control;
	char other[96];

	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN + 1),
			 -EINVAL);
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

TEST_WITH(a_file_that_is_cut_is_told, begin, end)
{
	const struct fixture *fixture = *state;
	struct control control;
	int fd;

	assert_int_equal(control_open(&control, fixture->directory_fd, TOKEN), 0);
	fd = openat(fixture->directory_fd, SEGMENT_CONTROL_NAME, O_RDWR);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(control_answer(&control, &(struct segment_answer){.count = 0},
					&(struct segment_fitting){.rules = 1}, 1),
			 0); /* it grows again */
	assert_int_equal(ftruncate(fd, 4096), 0);
	control.answer_count = 0;
	control.shared->answers[0].inode = 1;
	assert_int_equal(
		control_answer(&control, &(struct segment_answer){.count = 0}, NULL, 0),
		-EIO);
	control_close(&control);
	close(fd);
}
