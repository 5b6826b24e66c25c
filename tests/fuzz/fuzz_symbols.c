/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: the symbolizer and the examination of programs and
 *                their builds, on files made from the input. An input that begins with
 * "ELF" and a NUL is a file itself, from there on. Runs on:       tests; libFuzzer or
 * replay.c. See also:      elf_tree.h; collector/symbols/symbols.h
 *
 * A confined child reads the file, and may die of it. What it answers, and what is read
 * here, may not take 5 s of CPU time: that ends in abort(), as does what a sanitizer
 * finds in the child.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/selection/selection.h"
#include "collector/symbols/build.h"
#include "collector/symbols/symbols.h"
#include "collector/symbols/target.h"
#include "common/segment.h"
#include "tests/fuzz/elf_tree.h"

#define SLOWEST_NS INT64_C(5000000000)
#define STEP 416u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* All functions, as rules about sources and names ask for them. */
static void ask_all(const char *path, const struct stat *info)
{
	static const char *const rules[] = {
		"file:*.c,file:*x*/*",
		"*<*>::*,f(int),*operator?*,..<..>::..,helper [a.c],f..@abcde"};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct segment_module module = {.device = info->st_dev,
						.inode = info->st_ino,
						.size_bytes = (uint64_t)info->st_size,
						.mtime_ns = info->st_mtim.tv_sec *
								    INT64_C(1000000000) +
							    info->st_mtim.tv_nsec};
		struct selection selection;
		struct resolved resolved;
		struct resolver *resolver;

		strncpy(module.path, path, sizeof(module.path) - 1);
		selection_read(&selection, rules[i], NULL);
		resolver = resolver_new(&selection);
		resolver_read(resolver, &module, &resolved);
		free(resolved.fittings);
		resolver_free(resolver);
	}
}

static void ask(const char *path, const struct stat *info)
{
	struct segment_module file = {.device = info->st_dev,
				      .inode = info->st_ino,
				      .size_bytes = (uint64_t)info->st_size,
				      .mtime_ns =
					      info->st_mtim.tv_sec * INT64_C(1000000000) +
					      info->st_mtim.tv_nsec};
	struct symbolizer *symbolizer = symbols_new();
	struct symbol_module *module;
	struct symbol found[16];

	strncpy(file.path, path, sizeof(file.path) - 1);
	module = symbols_open(symbolizer, &file);

	for (uint64_t address = ELF_TREE_LOW; address < ELF_TREE_HIGH; address += STEP) {
		(void)symbols_function(module, address, found);
		(void)symbols_frames(module, address + 5, found, 16);
		(void)symbols_near(module, address, 4096, found);
	}
	(void)symbols_source(module);
	(void)symbols_trouble(module);
	symbols_free(symbolizer);
	ask_all(path, info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t image[ELF_TREE_BYTES];
	struct build_report build;
	struct target_report report;
	int64_t start = cpu_ns();
	struct stat info;
	char path[64];
	int fd = memfd_create("fuzz-symbols", MFD_CLOEXEC);

	if (size > 4 && memcmp(data, "ELF", 4) == 0) {
		data += 4;
		size -= 4;
	} else {
		size = elf_tree_write(data, size, image);
		data = image;
	}
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || fchmod(fd, 0700) < 0 ||
	    fstat(fd, &info) < 0)
		abort();
	/* of the confined child's parent */
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	ask(path, &info);
	(void)target_examine(path, &report);
	if (cpu_ns() - start <= SLOWEST_NS) {
		start = cpu_ns();
		(void)build_examine(path, &build);
	}
	close(fd);
	if (cpu_ns() - start > SLOWEST_NS) {
		fprintf(stderr, "took %lld ms\n",
			(long long)(cpu_ns() - start) / 1000000);
		abort();
	}
	return 0;
}
