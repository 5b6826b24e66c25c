/* SPDX-License-Identifier: MIT */
/*
 * Writes and reads the file of a run's samples. Runs on: the collector's main thread;
 * reading: also prof-analyze's. Must not make the collector fail, or trust an impossible
 * number.
 */
#include "collector/processes/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/processes/ticks.h"
#include "common/base/xalloc.h"

#define SAMPLES_LIMIT (RESOURCES_LIMIT + SAMPLES_DEATH_LIMIT)

#define FRESH_NAME SAMPLES_NAME ".new"

/* Nobody would look at a program that ends at once. */
#define FIRST_ROUND 2

/* Pause after the disk was full. */
#define PAUSE_ROUNDS 50

/* No real number is larger: bytes of a file, faults in an hour, ns of waiting. */
#define MOST (1ll << 60)
#define MOST_THREADS (1ll << 22) /* the kernel's limit */

/* Begins a new file, which replaces the old one when complete. */
static int begin(struct samples_writer *writer, const struct rundir *rundir,
		 uint64_t interval_ns)
{
	const struct samples_header header = {SAMPLES_MAGIC,
					      sizeof(struct samples_record)};
	int fd;

	if (writer->file)
		fclose(writer->file);
	writer->file = NULL;
	writer->sample_count = writer->death_count = writer->death_record_count = 0;
	writer->interval_ns = interval_ns;
	writer->is_fresh = 1;
	fd = rundir_create_file(rundir->fd, FRESH_NAME);
	if (fd < 0)
		return fd;
	writer->file = fdopen(fd, "w");
	if (!writer->file) {
		close(fd);
		return -ENOMEM;
	}
	return fwrite(&header, sizeof(header), 1, writer->file) == 1 ? 0 : -EIO;
}

static int put(const struct samples_writer *writer, const struct samples_record *record)
{
	return fwrite(record, sizeof(*record), 1, writer->file) == 1 ? 0 : -EIO;
}

static int put_samples(struct samples_writer *writer, const struct resources *resources)
{
	int result = 0;

	for (; result == 0 && writer->sample_count < resources->count;
	     writer->sample_count++)
		result = put(writer,
			     &(struct samples_record){
				     .kind = SAMPLES_RESOURCE,
				     .sample = resources->samples[writer->sample_count]});
	return result;
}

static int is_kept(const struct samples_writer *writer, const struct ending_death *death)
{
	return writer->death_record_count < (death->status.exit_signal
						     ? SAMPLES_DEATH_LIMIT
						     : SAMPLES_DEATH_LIMIT / 2);
}

static int put_deaths(struct samples_writer *writer, const struct ending_death *deaths,
		      size_t count)
{
	int result = 0;

	for (; result == 0 && writer->death_count < count; writer->death_count++) {
		const struct ending_death *death = &deaths[writer->death_count];

		if (!is_kept(writer, death))
			continue;
		writer->death_record_count++;
		result = put(writer, &(struct samples_record){.kind = SAMPLES_DEATH,
							      .death = *death});
	}
	return result;
}

/* Gives up writing for now. Nothing is lost: the file is begun again later. */
static void give_up(struct samples_writer *writer, const struct rundir *rundir)
{
	if (writer->file)
		fclose(writer->file);
	writer->file = NULL;
	if (writer->is_fresh)
		unlinkat(rundir->fd, FRESH_NAME, 0);
	writer->next_round = writer->round + PAUSE_ROUNDS;
}

void samples_write(struct samples_writer *writer, const struct rundir *rundir,
		   const struct resources *resources, const struct ending_death *deaths,
		   size_t death_count)
{
	int is_thinned = writer->interval_ns != resources->interval_ns;
	int result = 0;

	if (resources->round == writer->round ||
	    (resources->round < FIRST_ROUND && !writer->interval_ns))
		return;
	writer->round = resources->round;
	if (is_thinned) /* rounds are renumbered, too */
		writer->next_round = 0;
	if (resources->round < writer->next_round)
		return;
	if (!writer->file || is_thinned)
		result = begin(writer, rundir, resources->interval_ns);
	if (result == 0)
		result = put_samples(writer, resources);
	if (result == 0)
		result = put_deaths(writer, deaths, death_count);
	if (result == 0)
		result = fflush(writer->file) == 0 ? 0 : -EIO;
	if (result == 0 && writer->is_fresh)
		result = renameat(rundir->fd, FRESH_NAME, rundir->fd, SAMPLES_NAME);
	if (result == 0)
		writer->is_fresh = 0;
	else
		give_up(writer, rundir);
}

/* The possible times of a record. */
struct span {
	uint64_t first_ns, last_ns; /* monotonic */
};

static int is_number(int64_t value)
{
	return value >= -1 && value <= MOST;
}

static int is_moment(int32_t pid, uint64_t monotonic_ns, const struct span *span)
{
	return pid > 0 && monotonic_ns >= span->first_ns && monotonic_ns <= span->last_ns;
}

static int is_plausible_death(const struct ending_death *death, const struct span *span)
{
	return is_moment(death->pid, death->monotonic_ns, span) &&
	       death->status.exit_signal >= 0 && death->status.exit_signal <= 64;
}

static int is_plausible_sample(const struct resource_sample *sample,
			       const struct span *span)
{
	return is_moment(sample->pid, sample->monotonic_ns, span) &&
	       isfinite(sample->cpu_percent) && sample->cpu_percent >= -1 &&
	       sample->cpu_percent <= 1e9 && is_number(sample->rss_bytes) &&
	       is_number(sample->minor_faults) && is_number(sample->major_faults) &&
	       is_number(sample->read_bytes) && is_number(sample->write_bytes) &&
	       is_number(sample->cpu_wait_ns) && sample->thread_count >= -1 &&
	       sample->thread_count <= MOST_THREADS;
}

static void read_records(struct samples *samples, FILE *file, const struct span *span)
{
	struct samples_record record;

	for (size_t i = 0; i < SAMPLES_LIMIT; i++) {
		if (fread(&record, sizeof(record), 1, file) != 1)
			return;
		if (record.kind == SAMPLES_DEATH &&
		    is_plausible_death(&record.death, span))
			ARRAY_ADD(samples->deaths, samples->death_count) = record.death;
		else if (record.kind == SAMPLES_RESOURCE &&
			 is_plausible_sample(&record.sample, span))
			ARRAY_ADD(samples->resources.samples, samples->resources.count) =
				record.sample;
		else
			samples->damaged_count++;
	}
	if (fread(&record, sizeof(record), 1, file) == 1)
		samples->damaged_count++; /* and perhaps more */
}

static void read_file(struct samples *samples, FILE *file, const struct segment_run *page)
{
	struct samples_header header;
	struct ticks ticks;
	struct span span = {.first_ns = page->start_monotonic_ns};

	if (fread(&header, sizeof(header), 1, file) != 1 ||
	    header.magic != SAMPLES_MAGIC ||
	    header.record_size != sizeof(struct samples_record)) {
		samples->damaged_count++;
		return;
	}
	ticks_calibrate(&ticks, page, NULL);
	span.last_ns = span.first_ns + (uint64_t)TICKS_LONGEST_NS;
	/* a record written while we read is not from the future */
	if (ticks.same_boot)
		span.last_ns = ticks_monotonic_ns() + 1000000000ull;
	read_records(samples, file, &span);
}

int samples_read(struct samples *ret, const struct rundir *rundir)
{
	struct segment_run page;
	char error[SEGMENT_PATH_MAX + 128];
	int fd, result;
	FILE *file;

	*ret = (struct samples){.death_count = 0};
	resources_init(&ret->resources);
	result = read_run_page(rundir, &page, error, sizeof(error));
	if (result < 0)
		return result;
	fd = rundir_open_file(rundir->fd, SAMPLES_NAME, O_RDONLY);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	read_file(ret, file, &page);
	fclose(file);
	return 0;
}

void samples_done(struct samples *samples)
{
	resources_done(&samples->resources);
	free(samples->deaths);
	*samples = (struct samples){.death_count = 0};
}

/*
 * The GPU use of a run's processes over time. Must not grow without bound.
 */

void gpu_samples_init(struct gpu_samples *samples)
{
	*samples = (struct gpu_samples){.interval_ns = GPU_INTERVAL_NS};
}

void gpu_samples_done(struct gpu_samples *samples)
{
	free(samples->samples);
	*samples = (struct gpu_samples){.count = 0};
}

static void merge(void *earlier, const void *later)
{
	struct gpu_sample *a = earlier, merged = *(const struct gpu_sample *)later;

	if (a->utilisation_percent >= 0 && merged.utilisation_percent >= 0)
		merged.utilisation_percent =
			(a->utilisation_percent + merged.utilisation_percent) / 2;
	else if (a->utilisation_percent >= 0)
		merged.utilisation_percent = a->utilisation_percent;
	if (a->memory_bytes > merged.memory_bytes)
		merged.memory_bytes = a->memory_bytes;
	*a = merged;
}

static bool is_same(const void *left, const void *right)
{
	const struct gpu_sample *a = left, *b = right;

	return a->pid == b->pid && a->device == b->device;
}

static void halve(struct gpu_samples *samples)
{
	samples->count = resources_halve(
		samples->samples, samples->count, sizeof(*samples->samples),
		offsetof(struct gpu_sample, round), is_same, merge);
	samples->round /= 2;
	samples->interval_ns *= 2;
}

/* Allocates GPU_SAMPLE_LIMIT at once: untouched pages cost nothing. */
void gpu_samples_add(struct gpu_samples *samples, const struct gpu_sample *sample)
{
	if (!samples->samples)
		samples->samples = malloc(GPU_SAMPLE_LIMIT * sizeof(*samples->samples));
	if (!samples->samples) /* address space is limited: continue without samples */
		return;
	if (samples->count == GPU_SAMPLE_LIMIT)
		halve(samples);
	if (samples->count == GPU_SAMPLE_LIMIT) /* one sample per process */
		return;
	samples->samples[samples->count] = *sample;
	samples->samples[samples->count++].round = samples->round;
}

void gpu_samples_copy(const struct gpu_samples *samples, struct gpu_samples *ret)
{
	size_t bytes = samples->count * sizeof(*samples->samples);

	*ret = *samples;
	ret->samples = xmalloc(bytes);
	if (bytes)
		memcpy(ret->samples, samples->samples, bytes);
}
