/* SPDX-License-Identifier: MIT */
/* What this is: the symbolizer and the target examination on files cut short and files
 * with wrong bytes. Any answer will do; a crash, a hang or a sanitizer's word will not.
 */
#include "collector/symbols/symbols.h"
#include "collector/symbols/target.h"

#include <sys/stat.h>
#include <unistd.h>

#include "lookup.h"
#include "tests/unit/tests.h"

struct image {
	unsigned char *bytes;
	size_t size;
	uint64_t leaf, outer;
};

static char damaged[] = "/tmp/profshim-damaged-XXXXXX";

static struct image read_image(const char *name)
{
	FILE *file = fopen(fixture(name), "rb");
	struct image image = {NULL, 0, address_of(name, "leaf"), 0};
	struct stat info;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &info), 0);
	image.size = (size_t)info.st_size;
	image.bytes = malloc(image.size);
	assert_int_equal(fread(image.bytes, 1, image.size, file), image.size);
	fclose(file);
	return image;
}

static void write_damaged(const unsigned char *bytes, size_t size)
{
	FILE *file = fopen(damaged, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	assert_int_equal(chmod(damaged, 0755), 0);
}

static void ask(const struct image *image)
{
	struct symbolizer *symbolizer = symbols_new();
	struct segment_module file = file_at(damaged, NULL, 0);
	struct symbol_module *module = symbols_open(symbolizer, &file);
	struct symbol found[16];
	struct target_report report;
	uint64_t address;

	assert_non_null(module);
	for (address = image->leaf - 128; address < image->leaf + 256; address += 16) {
		(void)symbols_function(module, address, found);
		(void)symbols_frames(module, address + 9, found, 16);
	}
	symbols_free(symbolizer);
	(void)target_examine(damaged, &report);
}

/* Each file is read by a child of its own, which takes a sanitizer ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define EASE 10
#else
#define EASE 1
#endif

TEST(test_cut_short)
{
	struct image image = read_image("c_O2");
	size_t size;

	for (size = 0; size < image.size; size += EASE * (size < 4096 ? 61 : 509)) {
		write_damaged(image.bytes, size);
		ask(&image);
	}
	free(image.bytes);
}

/* The same damage in every run, so that a failure can be repeated. */
static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void damage_at_random(const char *name, int rounds, size_t first, size_t last)
{
	static const unsigned char values[] = {0x00, 0xff, 0x7f, 0x80, 0x01};
	struct image image = read_image(name);
	unsigned char *copy = malloc(image.size);
	uint32_t random = 2463534242u;
	int round, change;

	if (!last || last > image.size)
		last = image.size;
	for (round = 0; round < rounds / EASE; round++) {
		memcpy(copy, image.bytes, image.size);
		for (change = 0; change < 8; change++) {
			size_t at = first + next_random(&random) % (last - first);
			uint32_t kind = next_random(&random);

			copy[at] = kind & 8 ? values[kind % sizeof(values)]
					    : (unsigned char)(kind >> 8);
		}
		write_damaged(copy, image.size);
		ask(&image);
	}
	free(copy);
	free(image.bytes);
}

TEST(test_wrong_bytes)
{
	damage_at_random("c_O2", 400, 16, 0);
	damage_at_random("c_dwarf4", 200, 16, 0);
	damage_at_random("cxx_O2", 200, 16, 0);
	damage_at_random("c_compressed", 100, 16, 0);
}

/* From the debug sections on: everything that DWARF says. */
TEST(test_wrong_debug_information)
{
	damage_at_random("c_O2", 400, 12288, 0);
	damage_at_random("c_clang", fixture_exists("c_clang") ? 200 : 0, 8192, 0);
}

TEST(test_wrong_headers)
{
	damage_at_random("c_O2", 200, 16, 1024);
}

static int set_up(void **state)
{
	int fd = mkstemp(damaged);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(damaged);
}

TEST_GROUP(set_up, tear_down)
