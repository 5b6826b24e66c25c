/* SPDX-License-Identifier: MIT */
/*
 * What this is:  images that have ended, packed into one file: they say what their files
 *                said, each once, whenever its writer died, and damage is counted.
 * Runs on:       tests.
 * See also:      collector/read/ended.h, common/base/sparse.h
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/read/ended.h"
#include "tests/unit/collector/check_db.h"
#include "common/base/map.h"
#include "tests/unit/tests.h"

#define END (MAKE_START + 1000000)
#define IMAGES 3u

struct fixture {
	struct make_run run;
	struct make_file files[IMAGES];
	struct ended_writer writer;
	struct read_run kept;
	char names[IMAGES][32];
};

static void make_image(struct fixture *f, uint32_t i)
{
	struct segment_process *process;
	struct make_lane lane;
	uint32_t slot, node;

	snprintf(f->names[i], sizeof(f->names[i]), "%u-1", 100 + i);
	make_file(&f->files[i], &f->run, f->names[i]);
	process =
		make_process(&f->files[i], 100 + (int)i, MAKE_START + i, END + i, &slot);
	make_lane(&lane, &f->files[i], process, slot);
	node = make_call(&lane, 1, 0x1000, 1, 1000);
	make_call(&lane, node, 0x2000 + 0x100 * i, 5, 500);
	make_site(process, &lane, make_return(&lane, node, 0x1010), 2, 20, 1, 10);
	make_frame(&lane, node, MAKE_START + i);
	strcat(f->names[i], SEGMENT_FILE_SUFFIX);
}

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	make_run(&f->run, MAKE_TOKEN);
	for (uint32_t i = 0; i < IMAGES; i++)
		make_image(f, i);
	f->writer = (struct ended_writer){.fd = -1, .token = MAKE_TOKEN};
	*state = f;
	return 0;
}

static int finish(void **state)
{
	struct fixture *f = *state;

	if (f->writer.fd >= 0)
		close(f->writer.fd);
	for (uint32_t i = 0; i < IMAGES; i++)
		make_file_free(&f->files[i]);
	make_run_free(&f->run);
	free(f);
	return 0;
}

static void remove_file(const struct fixture *f, uint32_t i)
{
	assert_int_equal(unlinkat(f->run.rundir.fd, f->names[i], 0), 0);
}

/* kept: where it is read at once, for its file is gone; or NULL. */
static void append_to(struct fixture *f, uint32_t i, struct read_run *kept)
{
	int directory = f->run.rundir.fd;
	int fd = openat(directory, f->names[i], O_RDONLY);
	struct ended_place place = {.start_ticks = MAKE_START + i,
				    .name_hash = hash_text(f->names[i])};
	struct sparse image;

	assert_true(fd >= 0);
	assert_int_equal(sparse_take(&image, fd), 0);
	assert_int_equal(ended_append(&f->writer, directory, &place, &image), 0);
	if (kept) {
		remove_file(f, i);
		read_keep(kept, &image, &place);
	}
	sparse_done(&image);
	close(fd);
}

static void append(struct fixture *f, uint32_t i)
{
	append_to(f, i, NULL);
}

/* All that the three images said. */
static void check_all(struct fixture *f)
{
	const struct ingest_watch watch = {.kept = &f->kept};
	struct sqlite3 *db = check_ingest(&f->run, &watch);

	check_invariants(db);
	check_rows(db, "SELECT pid, complete, alloc_count FROM process ORDER BY pid",
		   "100|1|2;101|1|2;102|1|2");
	check_rows(db, "SELECT COUNT(*) FROM thread", "3");
	check_rows(db, "SELECT depth, SUM(calls) FROM path WHERE kind = 0 GROUP BY depth",
		   "1|3;2|15");
	check_rows(db, "SELECT SUM(live_bytes), SUM(alloc_bytes) FROM site", "30|60");
	check_rows(db, "SELECT value FROM trust WHERE name = 'damaged_segments'", "0");
	check_rows(db, "SELECT value FROM trust WHERE name = 'open_frames'", "3");
	sqlite3_close(db);
}

TEST_FIXTURE(as_their_files, begin, finish)
{
	check_all(f);
	for (uint32_t i = 0; i < IMAGES; i++) {
		append(f, i);
		remove_file(f, i);
		check_all(f);
	}
}

/* What was read while it was appended is there once, and read anew when it is asked for
 * again. */
TEST_FIXTURE(read_already, begin, finish)
{
	for (uint32_t i = 0; i < IMAGES; i++) {
		read_keep_begin(&f->kept, f->run.page);
		append_to(f, i, &f->kept);
		assert_int_equal(f->kept.process_count, 1);
		check_all(f);
		assert_int_equal(f->kept.process_count, 0);
		check_all(f);
	}
}

/* The writer died before it removed the file. */
TEST_FIXTURE(once, begin, finish)
{
	for (uint32_t i = 0; i < IMAGES; i++) {
		append(f, i);
		check_all(f);
	}
}

/* It died in the middle of a record: whatever there is of it, the file is there, too. */
TEST_FIXTURE(half_a_record, begin, finish)
{
	uint64_t whole;

	append(f, 0);
	remove_file(f, 0);
	whole = f->writer.size;
	append(f, 1);
	for (uint64_t size = f->writer.size - 1; size > whole; size -= 61) {
		assert_int_equal(ftruncate(f->writer.fd, (off_t)size), 0);
		check_all(f);
		if (size < whole + 61)
			break;
	}
}

/* A process with the number, and the name, of one that has ended. */
TEST_FIXTURE(a_name_again, begin, finish)
{
	const struct ingest_watch watch = {0};
	struct make_file again;
	struct sqlite3 *db;
	uint32_t slot;

	append(f, 0);
	remove_file(f, 0);
	make_file(&again, &f->run, "100-1");
	make_process(&again, 100, MAKE_START + 500, END + 500, &slot);
	db = check_ingest(&f->run, &watch);
	check_rows(db, "SELECT COUNT(*) FROM process WHERE pid = 100", "2");
	sqlite3_close(db);
	make_file_free(&again);
}

/* One bit is wrong, anywhere: what cannot be read is counted, nothing else happens. */
TEST_FIXTURE(damaged, begin, finish)
{
	const struct ingest_watch watch = {0};
	uint64_t lost = 0;

	append(f, 0);
	remove_file(f, 0);
	for (uint64_t at = 0; at < f->writer.size; at += 13) {
		struct sqlite3 *db;
		uint8_t byte, wrong;

		assert_int_equal(pread(f->writer.fd, &byte, 1, (off_t)at), 1);
		wrong = byte ^ (uint8_t)(1u << at % 8);
		assert_int_equal(pwrite(f->writer.fd, &wrong, 1, (off_t)at), 1);
		db = check_ingest(&f->run, &watch);
		lost += check_int(db, "SELECT COUNT(*) FROM process") == 2;
		sqlite3_close(db);
		assert_int_equal(pwrite(f->writer.fd, &byte, 1, (off_t)at), 1);
	}
	assert_true(lost > 30);
	check_all(f);
}

/* Zeros within what is stored are stored, and holes are holes. */
TEST(holes_and_zeros)
{
	char name[] = "/tmp/profshim-test-XXXXXX", bytes[8192];
	int fd = mkstemp(name);
	struct sparse image;

	assert_true(fd >= 0);
	unlink(name);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), 65536), sizeof(bytes));
	assert_int_equal(pwrite(fd, "x", 1, 65536 + 5000), 1);
	assert_int_equal(sparse_take(&image, fd), 0);
	assert_int_equal(sparse_read(&image, 65536, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(bytes[5000], 'x');
	assert_int_equal(bytes[4999] | bytes[5001], 0);
	assert_int_equal(sparse_stored_end(&image, 70000), 65536 + sizeof(bytes));
	assert_int_equal(sparse_stored_end(&image, 4096), 4096);
	assert_int_equal(sparse_read(&image, (1 << 20) - 10, bytes, 100), 10);
	assert_int_equal(sparse_read(&image, 1 << 20, bytes, 100), 0);
	assert_true(image.flat_bytes < 512);
	sparse_done(&image);
	close(fd);
}
