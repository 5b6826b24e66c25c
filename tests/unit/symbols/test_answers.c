/* SPDX-License-Identifier: MIT */
/* What this is: what a run's processes are answered, of which objects. */
#include "collector/selection/selection.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/live/control.h"

#include "lookup.h"
#include "tests/unit/tests.h"

#define TOKEN 17

static char directory[] = "/tmp/answers-XXXXXX";
static int directory_fd;
static const struct segment_control *control;
static struct segment_run run = {.token = TOKEN};

static int set_up(void **state)
{
	uint64_t header[2] = {SEGMENT_MAGIC_CONTROL, TOKEN};
	int fd;

	(void)state;
	strcpy(directory + sizeof(directory) - 7, "XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	directory_fd = open(directory, O_RDONLY | O_DIRECTORY);
	fd = openat(directory_fd, SEGMENT_CONTROL_NAME, O_RDWR | O_CREAT, 0600);
	if (ftruncate(fd, sizeof(*control)) < 0 ||
	    pwrite(fd, header, sizeof(header), 0) != sizeof(header))
		return -1;
	control = mmap(NULL, sizeof(*control), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return control == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	munmap((void *)control, sizeof(*control));
	unlinkat(directory_fd, SEGMENT_CONTROL_NAME, 0);
	unlinkat(directory_fd, "map", 0);
	close(directory_fd);
	return rmdir(directory);
}

static void begin(struct answers *answers, const char *only)
{
	snprintf(run.only, sizeof(run.only), "%s", only);
	answers_begin(answers, directory_fd, &run);
}

TEST_WITH(objects_are_answered_once, set_up, tear_down)
{
	struct segment_module module = module_of("shapes_gcc_O2"), other;
	const struct segment_answer *answer = &control->answers[0];
	struct answers answers;

	begin(&answers, "main,file:ring.h");
	assert_true(answers_are_asked(&answers));
	assert_int_equal(control->answer_count, 0);
	answers_add(&answers, &module);
	assert_int_equal(control->answer_count, 1);
	assert_int_equal(answer->inode, module.inode);
	assert_int_equal(answer->count, 4);
	assert_int_equal(control->fittings[0].rules, 2);
	answers_add(&answers, &module);
	assert_int_equal(control->answer_count, 1);
	other = module_of("shapes_clang_O0");
	answers_add(&answers, &other);
	assert_int_equal(control->answer_count, 2);
	assert_int_equal(control->answers[1].first, 4);
	assert_int_equal(control->answers[1].count, 4);
	/* an answer that says nothing new would have all processes look anew */
	other = module_of("shapes_no_hooks");
	answers_add(&answers, &other);
	assert_int_equal(control->answer_count, 2);
	assert_int_equal(answers.trouble_count, 0);
	answers_end(&answers);
}

TEST_WITH(rules_of_the_shim_are_not_asked_for, set_up, tear_down)
{
	struct segment_module module = module_of("shapes_gcc_O2");
	struct answers answers;

	begin(&answers, "main");
	assert_false(answers_are_asked(&answers));
	answers_add(&answers, &module);
	assert_int_equal(control->answer_count, 0);
	answers_end(&answers);
	begin(&answers, "*<int>::turn");
	answers_add(&answers, &module);
	assert_int_equal(control->answers[0].count, 1);
	assert_int_equal(control->fittings[0].rules, 1);
	answers_end(&answers);
}

TEST_WITH(what_cannot_be_told_is_answered, set_up, tear_down)
{
	struct segment_module module = module_of("shapes_bare");
	struct answers answers;

	begin(&answers, "file:ring.h");
	answers_add(&answers, &module);
	assert_int_equal(control->answer_count, 1);
	assert_int_equal(control->answers[0].count, 0);
	assert_int_equal(answers.trouble_count, 1);
	assert_non_null(strstr(answers.trouble, "shapes_bare: no function has a source"));
	strcpy(module.path, "/nowhere");
	module.inode++;
	answers_add(&answers, &module);
	assert_int_equal(control->answer_count, 2);
	assert_int_equal(answers.trouble_count, 2);
	answers_end(&answers);
}

/* What whoever has the directory can do to the file. */
TEST_WITH(a_damaged_file_asks_for_nothing, set_up, tear_down)
{
	struct segment_module module = module_of("shapes_gcc_O2");
	struct answers answers;
	int fd;

	begin(&answers, "file:ring.h");
	fd = openat(directory_fd, SEGMENT_CONTROL_NAME, O_RDWR);
	assert_int_equal(ftruncate(fd, 0), 0);
	answers_add(&answers, &module);
	answers_end(&answers);
	assert_int_equal(ftruncate(fd, 0), 0);
	begin(&answers, "file:ring.h");
	assert_false(answers_are_asked(&answers));
	answers_end(&answers);
	assert_int_equal(ftruncate(fd, sizeof(*control)), 0);
	begin(&answers, "file:ring.h");
	assert_false(answers_are_asked(&answers));
	answers_end(&answers);
	close(fd);
}
