/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the file of samples of programs without hooks: written, read, full, cut
 *                short, damaged, planted.
 * Runs on:       tests.
 * See also:      collector/processes/cpu_book.h
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/processes/cpu_book.h"
#include "tests/unit/collector/make_segment.h"
#include "tests/unit/tests.h"

/* Of the file: its header has the magic, sizes, counts and sums in this order. */
#define MODULE_COUNT_AT 16
#define ROW_COUNT_AT 24

static int begin(void **state)
{
	struct make_run *run = calloc(1, sizeof(*run));

	make_run(run, MAKE_TOKEN);
	*state = run;
	return 0;
}

static int finish(void **state)
{
	make_run_free(*state);
	free(*state);
	return 0;
}

static void fill(struct cpu_book *book)
{
	struct segment_module module = {.end = 4096, .path = "/bin/program"};

	*book = (struct cpu_book){.row_count = 0};
	assert_int_equal(book_add_module(book, &module), 1);
	book_add(book, 1, 0x10, 500);
	book_add(book, 1, 0x10, 700);
	book_add(book, 1, 0x20, 500);
	book_add(book, CPU_BOOK_NO_MODULE, 0x30, 500);
}

TEST_WITH(is_read_as_written, begin, finish)
{
	struct make_run *run = *state;
	struct cpu_book book, read;

	assert_int_equal(book_read(&read, &run->rundir), 0);
	assert_int_equal(read.row_count, 0);
	fill(&book);
	assert_int_equal(book_write(&book, &run->rundir), 0);
	book_add(&book, 1, 0x20, 500);
	assert_int_equal(book_write(&book, &run->rundir), 0); /* takes its place */
	assert_int_equal(book_read(&read, &run->rundir), 0);
	assert_int_equal(read.sums.sample_count, 5);
	assert_int_equal(read.sums.sampled_ns, 2700);
	assert_int_equal(read.module_count, 1);
	assert_string_equal(read.modules[0].path, "/bin/program");
	assert_int_equal(read.row_count, 3);
	assert_int_equal(read.rows[0].address, 0x10);
	assert_int_equal(read.rows[0].count, 2);
	assert_int_equal(read.rows[0].weight_ns, 1200);
	assert_int_equal(read.rows[2].module, CPU_BOOK_NO_MODULE);
	book_done(&read);
	book_done(&book);
}

TEST_WITH(stacks_are_read_as_written, begin, finish)
{
	struct make_run *run = *state;
	struct cpu_book book, read;
	uint32_t outer, inner;

	fill(&book);
	outer = book_add_frame(&book, 1, 0x100, 0);
	inner = book_add_frame(&book, 1, 0x200, outer);
	assert_int_equal(book_add_frame(&book, 1, 0x200, outer), inner);
	assert_int_not_equal(book_add_frame(&book, 1, 0x200, 0), inner);
	book_add_stack(&book, 1, 0x10, inner);
	book_add_stack(&book, 1, 0x10, inner);
	book_add_stack(&book, 1, 0x10, outer);
	assert_int_equal(book_write(&book, &run->rundir), 0);
	assert_int_equal(book_read(&read, &run->rundir), 0);
	assert_int_equal(read.sums.stack_count, 3);
	assert_int_equal(read.sums.sample_count, 4); /* these are others */
	assert_int_equal(read.frame_count, 3);
	assert_int_equal(read.frames[inner - 1].caller, outer);
	assert_int_equal(read.frames[inner - 1].address, 0x200);
	assert_int_equal(read.stack_count, 2);
	assert_int_equal(read.stacks[0].count, 2);
	assert_int_equal(read.stacks[0].caller, inner);
	book_done(&read);
	book.frames[0].caller = 2; /* one that comes later: a circle */
	assert_int_equal(book_write(&book, &run->rundir), 0);
	assert_int_equal(book_read(&read, &run->rundir), -EINVAL);
	book_done(&read);
	book.frames[0].caller = 0;
	book.stacks[0].caller = 4; /* there are three */
	assert_int_equal(book_write(&book, &run->rundir), 0);
	assert_int_equal(book_read(&read, &run->rundir), -EINVAL);
	book_done(&read);
	book_done(&book);
}

TEST(frames_are_bounded)
{
	struct segment_module module = {.end = 4096};
	struct cpu_book book = {.row_count = 0};
	uint32_t frame = 0;

	assert_int_equal(book_add_module(&book, &module), 1);
	for (uint64_t i = 0; i < CPU_BOOK_FRAME_LIMIT + 100; i++)
		frame = book_add_frame(&book, 1, i, frame);
	assert_int_equal(book.frame_count, CPU_BOOK_FRAME_LIMIT);
	for (uint32_t i = 0; i < CPU_BOOK_ROW_LIMIT + 100; i++)
		book_add_stack(&book, 1, i, frame);
	assert_int_equal(book.stack_count, CPU_BOOK_ROW_LIMIT);
	assert_int_equal(book.sums.lost_stack_count, 100);
	book_done(&book);
}

TEST(is_bounded)
{
	struct segment_module module = {.end = 4096};
	struct cpu_book book = {.row_count = 0};

	assert_int_equal(book_add_module(&book, &module), 1);
	for (uint64_t i = 0; i < CPU_BOOK_ROW_LIMIT + 100; i++)
		book_add(&book, 1, i, 1);
	assert_int_equal(book.row_count, CPU_BOOK_ROW_LIMIT);
	assert_int_equal(book.sums.sample_count, CPU_BOOK_ROW_LIMIT + 100);
	assert_int_equal(book.rows[CPU_BOOK_ROW_LIMIT - 1].module, CPU_BOOK_NO_MODULE);
	assert_int_equal(book.rows[CPU_BOOK_ROW_LIMIT - 1].count, 101);
	while (book.module_count < CPU_BOOK_MODULE_LIMIT)
		assert_int_not_equal(book_add_module(&book, &module), CPU_BOOK_NO_MODULE);
	assert_int_equal(book_add_module(&book, &module), CPU_BOOK_NO_MODULE);
	book_done(&book);
}

/* Writes a sound file, and then something over it. */
static void damage(const struct make_run *run, off_t at, const void *data, size_t size)
{
	struct cpu_book book;
	int fd;

	fill(&book);
	assert_int_equal(book_write(&book, &run->rundir), 0);
	book_done(&book);
	fd = openat(run->rundir.fd, CPU_BOOK_NAME, O_RDWR);
	assert_true(fd >= 0);
	if (at < 0)
		at += lseek(fd, 0, SEEK_END);
	if (data)
		assert_int_equal(pwrite(fd, data, size, at), size);
	else
		assert_int_equal(ftruncate(fd, at), 0);
	close(fd);
}

static void expect_refused(const struct make_run *run, int error)
{
	struct cpu_book book;

	assert_int_equal(book_read(&book, &run->rundir), error);
	assert_int_equal(book.row_count, 0);
	assert_int_equal(book.module_count, 0);
	book_done(&book);
}

TEST_WITH(damaged_ones_are_not_used, begin, finish)
{
	struct make_run *run = *state;
	const uint64_t many = 1ull << 40, more = 4;
	const struct cpu_row of_none = {.module = 2, .count = 1},
			     endless = {.weight_ns = UINT64_MAX, .module = 1},
			     region = {.address = SEGMENT_KEY_REGION, .module = 1};

	damage(run, 0, "other", 5);
	expect_refused(run, -EINVAL);
	damage(run, MODULE_COUNT_AT, &many, sizeof(many));
	expect_refused(run, -EINVAL);
	damage(run, ROW_COUNT_AT, &many, sizeof(many));
	expect_refused(run, -EINVAL);
	damage(run, ROW_COUNT_AT, &more, sizeof(more));
	expect_refused(run, -EINVAL);
	damage(run, -1, NULL, 0); /* cut short */
	expect_refused(run, -EINVAL);
	damage(run, 3, NULL, 0);
	expect_refused(run, -EINVAL);
	damage(run, -(off_t)sizeof(of_none), &of_none, sizeof(of_none));
	expect_refused(run, -EINVAL);
	damage(run, -(off_t)sizeof(endless), &endless, sizeof(endless));
	expect_refused(run, -EINVAL);
	damage(run, -(off_t)sizeof(region), &region, sizeof(region));
	expect_refused(run, -EINVAL);
}

TEST_WITH(planted_ones_are_not_read, begin, finish)
{
	struct make_run *run = *state;
	struct cpu_book book;

	assert_int_equal(symlinkat("/dev/zero", run->rundir.fd, CPU_BOOK_NAME), 0);
	assert_true(book_read(&book, &run->rundir) < 0);
	book_done(&book);
	fill(&book);
	assert_int_equal(book_write(&book, &run->rundir), 0); /* it is replaced */
	book_done(&book);
	assert_int_equal(book_read(&book, &run->rundir), 0);
	book_done(&book);
	assert_int_equal(unlinkat(run->rundir.fd, CPU_BOOK_NAME, 0), 0);
	assert_int_equal(mkfifoat(run->rundir.fd, CPU_BOOK_NAME, 0600), 0);
	assert_true(book_read(&book, &run->rundir) < 0);
	book_done(&book);
}
