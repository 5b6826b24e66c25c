/* SPDX-License-Identifier: MIT */
/* What this is: what build_examine() tells of programs built in different ways, whole and
 * damaged. What would not end is ended by alarm(). */
#include "collector/symbols/build.h"

#include <errno.h>
#include <unistd.h>

#include "lookup.h"
#include "tests/unit/tests.h"

static struct build_report examine(const char *name)
{
	struct build_report report;

	(void)alarm(60);
	assert_int_equal(build_examine(fixture(name), &report), 0);
	(void)alarm(0);
	return report;
}

/* Calls through the PLT and straight through the table of addresses. */
TEST(test_calls)
{
	static const char *const names[] = {"hooked", "no_plt"};
	struct build_report report = examine("plain");

	assert_int_equal(report.call_count, 0);
	assert_int_equal(report.hooked_count, 0);
	assert_true(report.function_count > 0 && report.is_pie);
	for (size_t i = 0; i < 2; i++) {
		report = examine(names[i]);
		assert_int_equal(report.hooked_count, 2);
		assert_int_equal(report.call_count, 2);
		assert_int_equal(report.named_count, 2);
		assert_int_equal(report.library_count, 0);
	}
	assert_false(report.is_pie);
	report = examine("own_hooks");
	assert_int_equal(report.hooked_count, 2);
}

TEST(test_libraries)
{
	struct build_report report = examine("linked_hooks");

	assert_int_equal(report.call_count, 0);
	assert_int_equal(report.hooked_libraries, 1);
	assert_string_equal(report.libraries[0], "libhooked.so");
	assert_true(report.needed_count >= 2);
	assert_int_equal(examine("hooked").hooked_libraries, 0);
	assert_true(examine("libhooked.so").is_library);
}

TEST(test_gcc)
{
	struct build_report report = examine("shapes_gcc_O2");

	assert_int_equal(report.compiler, COMPILER_GCC);
	assert_int_equal(report.unit_count, 2);
	assert_int_equal(report.told_count, 2);
	assert_int_equal(report.hooks_count, 2);
	assert_int_equal(report.exclude_count, 0);
	assert_int_equal(report.level, '2');
	assert_true(report.is_cxx && report.has_debug && !report.is_stripped);
	assert_memory_equal(report.compilers[0].name, "GNU C++", 7);
	assert_null(strstr(report.compilers[0].name, " -"));
	assert_int_equal(report.named_count, report.hooked_count);
	assert_true(report.frame_count * 2 < report.function_count);
	report = examine("shapes_gcc_O0");
	assert_int_equal(report.level, '0');
	assert_true(report.frame_count * 2 > report.function_count);
	assert_true(examine("shapes_lto").lto_count > 0);
	assert_int_equal(examine("excluding").exclude_count, 1);
	assert_int_equal(examine("shapes_no_hooks").hooked_count, 0);
}

TEST(test_clang)
{
	struct build_report report;

	if (access(fixture("shapes_clang_O2"), R_OK) < 0)
		skip();
	report = examine("shapes_clang_O2");
	assert_int_equal(report.compiler, COMPILER_CLANG);
	assert_int_equal(report.told_count, 0); /* clang does not tell */
	assert_int_equal(report.level, '\0');
	assert_true(report.hooked_count > 0);
	report = examine("after_inlining");
	assert_int_equal(report.after_inlining_count, 1);
	assert_int_equal(report.level, '2');
	assert_null(strchr(report.compilers[0].name, '/'));
}

/* Unwind information is left, and the debug file has the names. */
TEST(test_stripped)
{
	struct build_report whole = examine("shapes_gcc_O2"),
			    report = examine("shapes_linked");

	assert_true(report.is_stripped && report.has_debug);
	assert_int_equal(report.hooked_count, whole.hooked_count);
	assert_int_equal(report.call_count, whole.call_count);
	assert_int_equal(report.named_count, whole.named_count);
	report = examine("c_bare");
	assert_true(report.is_stripped && !report.has_debug && !report.is_cxx);
	assert_int_equal(report.compiler, COMPILER_GCC); /* by .comment */
}

/* Files made to keep their reader busy, and one that waits for a fifo. */
TEST(test_hostile)
{
	static const char *const names[] = {"lines_directories",
					    "lines_files",
					    "lines_rows",
					    "shared",
					    "split",
					    "sibling"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(examine(names[i]).call_count, 0);
}

static void examine_bytes(const unsigned char *bytes, size_t size)
{
	char path[] = "/tmp/test_build-XXXXXX";
	struct build_report report;
	int fd = mkstemp(path), error;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	error = build_examine(path, &report);
	assert_true(error <= 0);
	assert_true(report.hooked_count <= report.function_count);
	assert_true(report.named_count <= report.hooked_count);
	close(fd);
	unlink(path);
}

/* Cut off anywhere, and with any word of its headers and tables changed. */
TEST(test_damaged)
{
	static unsigned char bytes[1 << 17];
	FILE *file = fopen(fixture("hooked"), "re");
	size_t size;

	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_true(size > 4096 && size < sizeof(bytes));
	(void)alarm(120);
	for (size_t length = 0; length < size; length += 601)
		examine_bytes(bytes, length);
	for (size_t at = 0; at + 4 < size; at += 148) {
		unsigned char old[4];

		memcpy(old, bytes + at, 4);
		memset(bytes + at, at % 3 ? 0xff : 0x7f, 4);
		examine_bytes(bytes, size);
		memcpy(bytes + at, old, 4);
	}
	(void)alarm(0);
}

TEST(test_not_programs)
{
	struct build_report report;

	assert_int_equal(build_examine(fixture("garbage"), &report), -ENOEXEC);
	assert_int_equal(build_examine(fixture("script"), &report), -ENOEXEC);
	assert_int_equal(build_examine(fixture("fifo"), &report), -ENOEXEC);
	assert_int_equal(build_examine(fixture(""), &report), -ENOEXEC);
	assert_int_equal(build_examine(fixture("nothing_here"), &report), -ENOENT);
}
