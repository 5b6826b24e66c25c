/* SPDX-License-Identifier: MIT */
/* What this is: what a run's processes are answered, of which objects, and for which
 * rules. */
#include "collector/selection/answers.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/live/control.h"

#include "lookup.h"

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

static const struct segment_table *table(void)
{
	return &control->tables[control->table_generation % 2];
}

static void ask(const char *only, const char *skip)
{
	struct segment_setting setting;
	struct control writer;

	assert_int_equal(control_open(&writer, directory_fd, TOKEN), 0);
	control_setting(&writer, &run, &setting);
	snprintf(setting.only, sizeof(setting.only), "%s", only);
	snprintf(setting.skip, sizeof(setting.skip), "%s", skip);
	assert_int_equal(control_set(&writer, &run, &setting), 0);
	assert_int_equal(control_close(&writer), 0);
}

static void begin(struct answers *answers, const char *only)
{
	snprintf(run.only, sizeof(run.only), "%s", only);
	answers_begin(answers, directory_fd, &run);
}

static void objects_are_answered_once(void **state)
{
	struct segment_module module = module_of("shapes_gcc_O2"), other;
	const struct segment_answer *answer;
	struct answers answers;

	(void)state;
	begin(&answers, "main,file:ring.h");
	assert_true(answers_follow(&answers));
	assert_false(answers_follow(&answers));
	assert_true(answers_are_asked(&answers));
	answers_publish(&answers);
	assert_int_equal(control->table_generation, 0);
	answers_add(&answers, &module);
	answers_publish(&answers);
	assert_int_equal(control->table_generation, 1);
	assert_int_equal(table()->answer_count, 1);
	answer = &table()->answers[0];
	assert_int_equal(answer->inode, module.inode);
	assert_int_equal(answer->count, 4);
	assert_int_equal(table()->fitting_count, 4);
	assert_int_equal(table()->fittings[0].rules, 2);
	answers_add(&answers, &module);
	answers_publish(&answers);
	assert_int_equal(control->table_generation, 1);
	other = module_of("shapes_clang_O0");
	answers_add(&answers, &other);
	assert_int_equal(control->table_generation, 2);
	assert_int_equal(table()->answer_count, 2);
	assert_int_equal(table()->answers[1].first, 4);
	assert_int_equal(table()->answers[1].count, 4);
	/* a table that says nothing new would have all processes look anew */
	other = module_of("shapes_no_hooks");
	answers_add(&answers, &other);
	answers_publish(&answers);
	assert_int_equal(control->table_generation, 2);
	assert_int_equal(answers.trouble_count, 0);
	answers_end(&answers);
}

/* With other rules every object is to be shown again; another budget changes nothing. */
static void rules_may_change(void **state)
{
	struct segment_module module = module_of("shapes_gcc_O2");
	struct answers answers;

	(void)state;
	begin(&answers, "");
	assert_true(answers_follow(&answers));
	assert_false(answers_are_asked(&answers));
	answers_add(&answers, &module);
	answers_publish(&answers);
	assert_int_equal(control->table_generation, 0);
	ask("", "*<int>::turn");
	assert_true(answers_follow(&answers));
	answers_add(&answers, &module);
	assert_int_equal(table()->rules_generation, 1);
	assert_int_equal(table()->fitting_count, 1);
	assert_int_equal(table()->fittings[0].rules, 1);
	ask("", "*<int>::turn");
	assert_false(answers_follow(&answers));
	ask("main", "file:ring.cpp");
	answers_publish(&answers); /* too late for the rules before */
	assert_true(answers_follow(&answers));
	answers_add(&answers, &module);
	assert_int_equal(table()->rules_generation, 3);
	assert_int_equal(table()->answers[0].count, 6);
	assert_int_equal(table()->fittings[0].rules, 2);
	ask("main", "");
	assert_true(answers_follow(&answers));
	assert_false(answers_are_asked(&answers));
	answers_end(&answers);
}

static void what_cannot_be_told_is_answered(void **state)
{
	struct segment_module module = module_of("shapes_bare");
	struct answers answers;

	(void)state;
	begin(&answers, "file:ring.h");
	assert_true(answers_follow(&answers));
	answers_add(&answers, &module);
	assert_int_equal(table()->answer_count, 1);
	assert_int_equal(table()->answers[0].count, 0);
	assert_int_equal(answers.trouble_count, 1);
	assert_non_null(strstr(answers.trouble, "shapes_bare: no function has a source"));
	strcpy(module.path, "/nowhere");
	module.inode++;
	answers_add(&answers, &module);
	assert_int_equal(table()->answer_count, 2);
	assert_int_equal(answers.trouble_count, 2);
	answers_end(&answers);
}

static void write_map(const char *text)
{
	int fd = openat(directory_fd, "map", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	snprintf(run.components, sizeof(run.components), "%s/map", directory);
}

static void components_need_their_map(void **state)
{
	struct segment_module module = module_of("shapes_gcc_O2");
	struct answers answers;

	(void)state;
	write_map("{\"components\": [{\"component\": \"c\", \"source\": \"ring.h\"}]}");
	begin(&answers, "component:c");
	assert_true(answers_follow(&answers));
	answers_add(&answers, &module);
	assert_int_equal(table()->fitting_count, 4);
	assert_int_equal(answers.trouble_count, 0);
	answers_end(&answers);
	write_map("{\"components\": [\n{\"component\": 1}]}");
	begin(&answers, "component:c");
	assert_true(answers_follow(&answers));
	assert_non_null(strstr(answers.trouble, "map:2: components[0].component"));
	answers_add(&answers, &module);
	assert_int_equal(table()->answer_count, 1);
	assert_int_equal(table()->fitting_count, 0);
	answers_end(&answers);
	run.components[0] = '\0';
	begin(&answers, "component:c");
	assert_true(answers_follow(&answers));
	assert_non_null(strstr(answers.trouble, "there is no map"));
	answers_end(&answers);
}

/* What a program can do to the file that it has mapped, if it has it for writing. */
static void a_damaged_file_asks_for_nothing(void **state)
{
	struct segment_module module = module_of("shapes_gcc_O2");
	struct answers answers;
	int fd;

	(void)state;
	begin(&answers, "file:ring.h");
	assert_true(answers_follow(&answers));
	fd = openat(directory_fd, SEGMENT_CONTROL_NAME, O_RDWR);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_false(answers_follow(&answers));
	answers_add(&answers, &module);
	answers_publish(&answers);
	answers_end(&answers);
	begin(&answers, "file:ring.h");
	assert_false(answers_follow(&answers));
	assert_false(answers_are_asked(&answers));
	answers_end(&answers);
	assert_int_equal(ftruncate(fd, sizeof(*control)), 0);
	begin(&answers, "file:ring.h");
	assert_false(answers_follow(&answers));
	answers_end(&answers);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(objects_are_answered_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(rules_may_change, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_told_is_answered, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(components_need_their_map, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_damaged_file_asks_for_nothing, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
