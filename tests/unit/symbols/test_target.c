/* SPDX-License-Identifier: MIT */
/* What this is: what target_examine() tells about programs of every kind. */
#include "collector/symbols/target.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookup.h"
#include "tests/unit/tests.h"

static struct target_report examine(const char *name, int expected)
{
	struct target_report report;

	assert_int_equal(target_examine(fixture(name), &report), expected);
	return report;
}

TEST(test_plain)
{
	struct target_report report = examine("plain", 0);

	assert_string_equal(report.path, fixture("plain"));
	assert_true(report.is_elf && report.machine_ok);
	assert_false(report.is_script || report.is_static || report.is_privileged ||
		     report.is_other_libc);
	assert_false(report.has_hooks || report.defines_hooks || report.defines_malloc ||
		     report.links_pg);
	assert_string_equal(report.interpreter, "");
}

TEST(test_hooks)
{
	struct target_report report = examine("hooked", 0);

	assert_true(report.has_hooks);
	assert_false(report.defines_hooks || report.is_static);
	report = examine("own_hooks", 0);
	assert_true(report.defines_hooks);
	assert_false(report.has_hooks);
	/* the program has none, the library it finds by its RUNPATH has */
	report = examine("linked_hooks", 0);
	assert_true(report.has_hooks);
}

TEST(test_static)
{
	assert_true(examine("static", 0).is_static);
	assert_true(examine("static_pie", 0).is_static);
}

TEST(test_own_allocator_and_gprof)
{
	assert_true(examine("own_malloc", 0).defines_malloc);
	assert_false(examine("own_malloc", 0).has_hooks);
	assert_true(examine("gprof", 0).links_pg);
}

TEST(test_scripts)
{
	struct target_report report = examine("script", 0);

	assert_true(report.is_script && report.is_elf && report.machine_ok);
	assert_string_equal(report.interpreter, "/bin/sh");
	report = examine("script_env", 0);
	assert_true(report.is_script && report.is_elf);
	assert_string_equal(strrchr(report.interpreter, '/'), "/sh");
	report = examine("script_plain", 0);
	assert_true(report.is_script && report.is_elf);
	assert_string_equal(report.interpreter, "/bin/sh");
	report = examine("script_of_script", 0);
	assert_true(report.is_script && report.is_elf);
	assert_string_equal(report.interpreter, "/bin/sh");
	report = examine("script_lost", -ENOENT);
	assert_true(report.is_script);
	assert_string_equal(report.interpreter, "/nowhere/interpreter");
}

TEST(test_not_programs)
{
	struct target_report report = examine("garbage", 0);

	assert_false(report.is_elf || report.is_script);
	examine("not_executable", -EACCES);
	examine("nothing_here", -ENOENT);
	examine("", -EACCES); /* the directory */
	assert_int_equal(target_examine("", &report), -ENOENT);
}

TEST(test_search)
{
	struct target_report report;
	char *old = strdup(getenv("PATH"));

	assert_int_equal(target_examine("no-such-program-anywhere", &report), -ENOENT);
	assert_int_equal(target_examine("sh", &report), 0);
	assert_true(report.path[0] == '/' && report.is_elf);
	setenv("PATH", "/nowhere:" FIXTURE_DIR, 1);
	assert_int_equal(target_examine("hooked", &report), 0);
	assert_string_equal(report.path, fixture("hooked"));
	assert_int_equal(target_examine("not_executable", &report), -EACCES);
	setenv("PATH", old, 1);
	free(old);
}

/* Needs root to give a file away. */
TEST(test_privileged)
{
	const char *path = fixture("plain");

	if (geteuid() != 0 || chown(path, 65534, 65534) < 0)
		skip();
	assert_int_equal(chmod(path, 04755), 0);
	assert_true(examine("plain", 0).is_privileged);
	assert_int_equal(chmod(path, 02755), 0);
	assert_true(examine("plain", 0).is_privileged);
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chmod(path, 04755), 0);
	assert_false(examine("plain", 0).is_privileged); /* its owner is we */
	assert_int_equal(chmod(path, 0755), 0);
}
