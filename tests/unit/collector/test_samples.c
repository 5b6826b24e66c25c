/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the file of what a collector has seen: written, thinned, cut short,
 *                damaged, planted.
 * Runs on:       tests.
 * See also:      collector/processes/samples.h
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/processes/samples.h"
#include "tests/unit/collector/make_segment.h"
#include "tests/unit/tests.h"

#define START MAKE_START

static const struct samples_record good = {
	.kind = SAMPLES_RESOURCE,
	.sample = {.pid = 100,
		   .start_ticks = 7,
		   .monotonic_ns = START + 5,
		   .cpu_percent = 50,
		   .rss_bytes = 4096,
		   .minor_faults = -1,
		   .thread_count = 3},
};

static int begin(void **state)
{
	struct make_run *run = calloc(1, sizeof(*run));

	make_run(run, MAKE_TOKEN);
	run->page->start_monotonic_ns = START;
	*state = run;
	return 0;
}

static int finish(void **state)
{
	make_run_free(*state);
	free(*state);
	return 0;
}

static int create(const struct make_run *run, uint64_t magic, uint64_t record_size)
{
	const struct samples_header header = {magic, record_size};
	int fd = rundir_create_file(run->rundir.fd, SAMPLES_NAME);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &header, sizeof(header)), sizeof(header));
	return fd;
}

static void append(int fd, const struct samples_record *record, size_t size)
{
	assert_int_equal(write(fd, record, size), size);
}

static void expect(const struct make_run *run, size_t count, size_t deaths,
		   size_t damaged)
{
	struct samples samples;

	assert_int_equal(samples_read(&samples, &run->rundir), 0);
	assert_int_equal(samples.resources.count, count);
	assert_int_equal(samples.death_count, deaths);
	assert_int_equal(samples.damaged_count, damaged);
	samples_done(&samples);
}

TEST_WITH(without_a_file, begin, finish)
{
	expect(*state, 0, 0, 0);
}

/* A collector's memory with as many samples. */
static void remember(struct resources *resources, size_t count)
{
	resources_init(resources);
	resources->samples = calloc(RESOURCES_LIMIT, sizeof(*resources->samples));
	assert_non_null(resources->samples);
	for (; resources->count < count; resources->count++)
		resources->samples[resources->count] = (struct resource_sample){
			.pid = 100,
			.start_ticks = 7,
			.monotonic_ns = START + resources->count,
			.cpu_percent = 12.5,
			.rss_bytes = (int64_t)resources->count,
			.cpu_wait_ns = -1,
		};
	resources->round = (uint32_t)count;
}

static off_t size_of(const struct make_run *run)
{
	struct stat status;

	return fstatat(run->rundir.fd, SAMPLES_NAME, &status, 0) < 0 ? -1
								     : status.st_size;
}

TEST_WITH(written, begin, finish)
{
	static const struct ending_death deaths[] = {
		{.pid = 100,
		 .start_ticks = 7,
		 .monotonic_ns = START + 9,
		 .status = {1, 0, 9}},
		{.pid = 101,
		 .start_ticks = 8,
		 .monotonic_ns = START + 9,
		 .status = {1, 4, 0}},
	};
	struct samples_writer writer = {.file = NULL};
	const struct make_run *run = *state;
	struct resources resources;
	struct samples samples;

	remember(&resources, 100);
	resources.round = 1; /* nobody asks so early */
	samples_write(&writer, &run->rundir, &resources, deaths, 1);
	assert_int_equal(size_of(run), -1);
	resources.round = 100;
	samples_write(&writer, &run->rundir, &resources, deaths, 1);
	expect(run, 100, 1, 0);
	samples_write(&writer, &run->rundir, &resources, deaths, 2); /* the same round */
	expect(run, 100, 1, 0);
	resources.round++;
	resources.samples[resources.count++] = resources.samples[99];
	samples_write(&writer, &run->rundir, &resources, deaths, 2);
	assert_int_equal(samples_read(&samples, &run->rundir), 0);
	assert_int_equal(samples.resources.count, 101);
	assert_int_equal(samples.resources.samples[57].rss_bytes, 57);
	assert_int_equal(samples.resources.samples[57].cpu_wait_ns, -1);
	assert_int_equal(samples.death_count, 2);
	assert_int_equal(samples.deaths[0].status.exit_signal, 9);
	assert_int_equal(samples.deaths[1].status.exit_code, 4);
	samples_done(&samples);
	/* thinned in memory: thinned in the file */
	resources.count = 50;
	resources.round = 50;
	resources.interval_ns *= 2;
	samples_write(&writer, &run->rundir, &resources, deaths, 2);
	expect(run, 50, 2, 0);
	assert_int_equal(faccessat(run->rundir.fd, SAMPLES_NAME ".new", F_OK, 0), -1);
	fclose(writer.file);
	resources_done(&resources);
}

/* Ordinary ends leave room for those of children that were killed. */
TEST_WITH(bounded, begin, finish)
{
	struct ending_death *deaths = calloc(3 * SAMPLES_DEATH_LIMIT, sizeof(*deaths));
	struct samples_writer writer = {.file = NULL};
	const struct make_run *run = *state;
	struct resources resources;

	assert_non_null(deaths);
	remember(&resources, RESOURCES_LIMIT);
	for (size_t i = 0; i < 3 * SAMPLES_DEATH_LIMIT; i++)
		deaths[i] = (struct ending_death){
			.pid = 100, .monotonic_ns = START, .status = {1, 0, 0}};
	samples_write(&writer, &run->rundir, &resources, deaths, SAMPLES_DEATH_LIMIT);
	expect(run, RESOURCES_LIMIT, SAMPLES_DEATH_LIMIT / 2, 0);
	for (size_t i = SAMPLES_DEATH_LIMIT; i < 3 * SAMPLES_DEATH_LIMIT; i++)
		deaths[i].status.exit_signal = 9;
	resources.round++;
	samples_write(&writer, &run->rundir, &resources, deaths, 3 * SAMPLES_DEATH_LIMIT);
	expect(run, RESOURCES_LIMIT, SAMPLES_DEATH_LIMIT, 0);
	append(fileno(writer.file), &good, sizeof(good));
	expect(run, RESOURCES_LIMIT, SAMPLES_DEATH_LIMIT, 1);
	fclose(writer.file);
	resources_done(&resources);
	free(deaths);
}

/* One record after the other that cannot be, between two that can. */
TEST_WITH(damaged, begin, finish)
{
	const struct make_run *run = *state;
	struct samples_record bad[12];
	int fd = create(run, SAMPLES_MAGIC, sizeof(good));

	for (size_t i = 0; i < 12; i++)
		bad[i] = good;
	bad[0].kind = 0;
	bad[1].kind = 77;
	bad[2].sample.pid = 0;
	bad[3].sample.pid = -5;
	bad[4].sample.monotonic_ns = START - 1;
	bad[5].sample.monotonic_ns = UINT64_MAX;
	bad[6].sample.cpu_percent = NAN;
	bad[7].sample.cpu_percent = HUGE_VAL;
	bad[8].sample.rss_bytes = INT64_MAX;
	bad[9].sample.write_bytes = -2;
	bad[10].sample.thread_count = 1ll << 40;
	bad[11].kind = SAMPLES_DEATH;
	bad[11].death.status.exit_signal = -3;
	append(fd, &good, sizeof(good));
	for (size_t i = 0; i < 12; i++)
		append(fd, &bad[i], sizeof(bad[i]));
	append(fd, &good, sizeof(good));
	close(fd);
	expect(run, 2, 0, 12);
}

/* The writer was killed in the middle of a record: that is no damage. */
TEST_WITH(cut_short, begin, finish)
{
	const struct make_run *run = *state;
	int fd = create(run, SAMPLES_MAGIC, sizeof(good));

	append(fd, &good, sizeof(good));
	append(fd, &good, sizeof(good) - 1);
	close(fd);
	expect(run, 1, 0, 0);
}

TEST_WITH(other_format, begin, finish)
{
	const struct make_run *run = *state;
	int fd = create(run, SAMPLES_MAGIC + 1, sizeof(good));

	append(fd, &good, sizeof(good));
	close(fd);
	expect(run, 0, 0, 1);
	fd = create(run, SAMPLES_MAGIC, sizeof(good) - 8);
	append(fd, &good, sizeof(good));
	close(fd);
	expect(run, 0, 0, 1);
	fd = rundir_create_file(run->rundir.fd, SAMPLES_NAME);
	close(fd);
	expect(run, 0, 0, 1);
}

/* Neither read through a link nor written through one. */
TEST_WITH(planted, begin, finish)
{
	struct samples_writer writer = {.file = NULL};
	const struct make_run *run = *state;
	struct resources resources;
	struct samples samples;
	struct stat status;

	assert_int_equal(symlinkat(SEGMENT_RUN_NAME, run->rundir.fd, SAMPLES_NAME), 0);
	assert_int_equal(symlinkat(SEGMENT_RUN_NAME, run->rundir.fd, SAMPLES_NAME ".new"),
			 0);
	assert_true(samples_read(&samples, &run->rundir) < 0);
	samples_done(&samples);
	remember(&resources, 3);
	samples_write(&writer, &run->rundir, &resources, NULL, 0);
	expect(run, 3, 0, 0);
	assert_int_equal(
		fstatat(run->rundir.fd, SAMPLES_NAME, &status, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(status.st_mode & 0777, 0600);
	/* another name for it */
	assert_int_equal(linkat(run->rundir.fd, SAMPLES_NAME, run->rundir.fd, "more", 0),
			 0);
	assert_int_equal(samples_read(&samples, &run->rundir), -EPERM);
	samples_done(&samples);
	fclose(writer.file);
	resources_done(&resources);
}
