/* SPDX-License-Identifier: MIT */
/*
 * What this is:  stacks that a confined child walks: those of this process, told as the
 *                compiler's own unwinder tells them, and with files whose tables are
 *                damaged, that are gone or others by now.
 * Runs on:       tests.
 * See also:      collector/watch/stacks.h
 */
#include "collector/watch/stacks.h"

#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/unit/tests.h"

#define MODULES 64
#define DEEP 5
#define DAMAGED_COPIES 60

struct mapped {
	struct segment_module modules[MODULES];
	struct outside_range ranges[MODULES];
	size_t count;
	uint64_t stack_end;
};

static void describe(struct segment_module *module, const char *path)
{
	struct stat info;

	*module = (struct segment_module){.end = 4096};
	strncpy(module->path, path, sizeof(module->path) - 1);
	if (stat(path, &info) < 0)
		return;
	module->device = info.st_dev;
	module->inode = info.st_ino;
	module->size_bytes = (uint64_t)info.st_size;
	module->mtime_ns = info.st_mtim.tv_sec * 1000000000ll + info.st_mtim.tv_nsec;
}

static void look(struct mapped *mapped)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned long long start, end, offset;
	char line[1024], flags[8], path[512];

	*mapped = (struct mapped){.count = 0};
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %511s", &start, &end, flags,
			   &offset, path) < 5)
			continue;
		if (strcmp(path, "[stack]") == 0)
			mapped->stack_end = end;
		if (flags[2] != 'x' || path[0] != '/' || mapped->count == MODULES)
			continue;
		describe(&mapped->modules[mapped->count], path);
		mapped->ranges[mapped->count] = (struct outside_range){
			start, end, offset, (uint32_t)mapped->count + 1, 0};
		mapped->count++;
	}
	assert_non_null(file);
	fclose(file);
	assert_true(mapped->count > 1);
}

/* What the kernel would have copied, also between what AddressSanitizer lets be read. */
__attribute__((no_sanitize("address"))) static void copy_here(const struct mapped *mapped,
							      struct stack_dump *ret)
{
	static const int places[STACK_REGISTERS] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
		REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	const uint64_t *words;
	ucontext_t context;
	uint64_t left;

	assert_int_equal(getcontext(&context), 0);
	for (size_t i = 0; i < STACK_REGISTERS; i++)
		ret->registers[i] = (uint64_t)context.uc_mcontext.gregs[places[i]];
	left = mapped->stack_end - ret->registers[STACK_REGISTER_SP];
	ret->byte_count = (left < STACK_BYTES ? left : STACK_BYTES) & ~7ull;
	words = (const uint64_t *)(uintptr_t)ret->registers[STACK_REGISTER_SP];
	for (size_t i = 0; i < ret->byte_count / 8; i++)
		memcpy(ret->bytes + 8 * i, &(uint64_t){words[i]}, 8);
}

struct asked {
	struct mapped mapped;
	struct stack_dump dump;
	void *known[STACK_FRAME_LIMIT];
	int known_count;
};

__attribute__((noinline, no_sanitize("address"))) static int ask_at(struct asked *asked,
								    int levels)
{
	int result;

	if (levels > 1) {
		result = ask_at(asked, levels - 1);
		return result + levels;
	}
	copy_here(&asked->mapped, &asked->dump);
	asked->known_count = backtrace(asked->known, STACK_FRAME_LIMIT);
	return asked->known_count;
}

static struct asked *ask(void)
{
	static struct asked asked;

	look(&asked.mapped);
	assert_true(ask_at(&asked, DEEP) > DEEP);
	return &asked;
}

static bool walk(struct stack_walker *walker, const struct asked *asked,
		 struct stack_frames *ret)
{
	return stacks_walk(walker, asked->mapped.modules, asked->mapped.count,
			   asked->mapped.ranges, asked->mapped.count, &asked->dump, 1,
			   ret);
}

static size_t equal_from(const struct asked *asked, const struct stack_frames *frames,
			 size_t frame, size_t known)
{
	size_t count = 0;

	while (frame + count < frames->count &&
	       known + count < (size_t)asked->known_count &&
	       frames->addresses[frame + count] ==
		       (uint64_t)(uintptr_t)asked->known[known + count])
		count++;
	return count;
}

/* How many frames are the same, behind the innermost: copy_here() may be inlined, and
 * AddressSanitizer's backtrace() has a frame of its own. */
static size_t count_equal(const struct asked *asked, const struct stack_frames *frames)
{
	size_t most = 0;

	for (size_t start = 0; start < 9; start++) {
		size_t count = equal_from(asked, frames, start / 3, start % 3);

		most = count > most ? count : most;
	}
	return most;
}

TEST(is_walked_as_compilers_do)
{
	struct stack_walker walker = {.child_count = 0};
	struct asked *asked = ask();
	struct stack_frames frames;

	assert_true(walk(&walker, asked, &frames));
	assert_true(count_equal(asked, &frames) > DEEP);
	assert_true(walk(&walker, asked, &frames)); /* by what it remembers */
	assert_true(count_equal(asked, &frames) > DEEP);
	stacks_end(&walker);
}

TEST(ends_where_the_copy_ends)
{
	struct stack_walker walker = {.child_count = 0};
	struct asked *asked = ask();
	struct stack_frames frames;

	asked->dump.byte_count = 0;
	assert_true(walk(&walker, asked, &frames));
	assert_int_equal(frames.count, 0);
	assert_int_equal(frames.end, STACK_CUT);
	stacks_end(&walker);
}

TEST(another_file_is_not_read)
{
	struct stack_walker walker = {.child_count = 0};
	struct asked *asked = ask();
	struct stack_frames frames;

	for (size_t i = 0; i < asked->mapped.count; i++)
		asked->mapped.modules[i].mtime_ns++;
	assert_true(walk(&walker, asked, &frames));
	assert_int_equal(frames.count, 0);
	assert_int_equal(frames.end, STACK_UNKNOWN);
	stacks_end(&walker);
}

/* All code is where it was, and its tables are not what they were. */
static void damage(struct asked *asked, const char *path, const uint8_t *bytes,
		   size_t size, uint32_t *seed)
{
	uint8_t *copy = malloc(size);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	for (size_t i = 64; i < size; i++) {
		*seed = *seed * 1664525u + 1013904223u;
		if (*seed >> 22 == 0) /* one byte of a thousand */
			copy[i] = (uint8_t)(*seed >> 8);
	}
	assert_true(fd >= 0 && write(fd, copy, size) == (ssize_t)size);
	close(fd);
	free(copy);
	for (size_t i = 0; i < asked->mapped.count; i++)
		describe(&asked->mapped.modules[i], path);
}

TEST(damaged_tables_end_the_child_alone)
{
	char path[] = "/tmp/profshim-stacks-XXXXXX";
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), other = mkstemp(path);
	struct asked *asked = ask();
	uint32_t seed = 1;
	struct stat info;
	uint8_t *bytes;

	assert_true(fd >= 0 && other >= 0 && fstat(fd, &info) == 0);
	close(other);
	bytes = malloc((size_t)info.st_size);
	assert_non_null(bytes);
	assert_true(read(fd, bytes, (size_t)info.st_size) == info.st_size);
	close(fd);
	for (int i = 0; i < DAMAGED_COPIES; i++) {
		struct stack_walker walker = {.child_count = 0};
		struct stack_frames frames = {.count = 0};

		damage(asked, path, bytes, (size_t)info.st_size, &seed);
		(void)walk(&walker, asked, &frames);
		assert_true(frames.count <= STACK_FRAME_LIMIT);
		stacks_end(&walker);
	}
	free(bytes);
	unlink(path);
}

TEST(children_are_not_started_for_ever)
{
	struct stack_walker walker = {.child_count = 0};
	struct asked *asked = ask();
	struct stack_frames frames;
	int ended = 0;

	asked->dump.byte_count = STACK_BYTES + 8; /* it does not believe that */
	for (int i = 0; i < 10; i++)
		ended += !walk(&walker, asked, &frames);
	assert_int_equal(ended, 10);
	assert_int_equal(walker.child_count, 3);
	stacks_end(&walker);
}
