/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the small parts of the ingest library: map, array, histogram, clock,
 *                liveness, resource samples.
 * Runs on:       tests.
 * See also:      collector/
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/processes/liveness.h"
#include "common/base/xalloc.h"
#include "collector/watch/gpu.h"
#include "collector/merge/histogram.h"
#include "common/base/map.h"
#include "collector/processes/resources.h"
#include "collector/processes/ticks.h"
#include "tests/unit/tests.h"

TEST(maps)
{
	struct map map = {NULL, 0, 0};

	assert_int_equal(map_get(&map, 1, 2, 3), MAP_NONE);
	for (uint32_t i = 0; i < 10000; i++)
		map_put(&map, i, i / 2, i % 7, i);
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(map_get(&map, i, i / 2, i % 7), i);
	assert_int_equal(map_get(&map, 0, 0, 1), MAP_NONE);
	assert_true(map.count * 3 <= map.capacity * 2);
	map_done(&map);
	assert_int_equal(map_get(&map, 0, 0, 0), MAP_NONE);
}

TEST(arrays)
{
	int *array = NULL;

	for (size_t i = 0; i < 1000; i++) {
		array = array_room(array, i, sizeof(*array));
		assert_non_null(array);
		assert_int_equal(array[i], 0);
		array[i] = (int)i + 1;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(array[i], i + 1);
	free(array);
}

/* Every value lies in its bucket, and the bucket's middle within 6.25 % of it. */
TEST(buckets)
{
	for (uint64_t value = 8; value < 1ull << 40; value += value / 7 + 1) {
		struct histogram histogram = {NULL, 0, 0};
		struct pool pool = {NULL};
		double middle;

		histogram_add(&pool, &histogram, segment_histogram_bucket(value), 1);
		middle = histogram_percentile(&histogram, 0.5);
		assert_true(fabs(middle / (double)value - 1) <= 0.0625);
		pool_done(&pool);
	}
}

TEST(bucket_ends)
{
	uint32_t last = SEGMENT_HISTOGRAM_BUCKETS - 1;

	for (uint32_t bucket = 0; bucket < last; bucket++) {
		assert_int_equal(
			segment_histogram_bucket(segment_histogram_lower(bucket)),
			bucket);
		assert_int_equal(
			segment_histogram_bucket(segment_histogram_lower(bucket + 1) - 1),
			bucket);
	}
	assert_int_equal(segment_histogram_bucket(segment_histogram_lower(last)), last);
	assert_int_equal(segment_histogram_bucket(UINT64_MAX), last);
}

TEST(histograms)
{
	struct segment_function function = {.histogram = {[300] = 7, [20] = 3}};
	struct histogram histogram = {NULL, 0, 0};
	struct pool pool = {NULL};
	uint8_t *blob;
	size_t size;

	assert_true(histogram_is_empty(&histogram));
	histogram_encode(&histogram, &blob, &size);
	assert_null(blob);
	histogram_add_part(&pool, &histogram, &function, 1, 1);
	assert_int_equal(histogram.first, 20);
	assert_int_equal(histogram.count, 281);
	histogram_add(&pool, &histogram, 0, 1);
	histogram_add(&pool, &histogram, SEGMENT_HISTOGRAM_BUCKETS - 1, 1);
	assert_true(histogram_percentile(&histogram, 0.01) < 1);
	assert_int_equal(
		segment_histogram_bucket((uint64_t)histogram_percentile(&histogram, 0.3)),
		20);
	assert_int_equal(
		segment_histogram_bucket((uint64_t)histogram_percentile(&histogram, 0.9)),
		300);
	/* a bucket that has passed 2^32 */
	function.overflow_bucket = 20;
	function.overflow_count = 2;
	histogram_add_part(&pool, &histogram, &function, 1, 1);
	assert_int_equal(histogram.counts[20], (2ull << 32) + 6);
	histogram_encode(&histogram, &blob, &size);
	assert_memory_equal(blob, "\x00\x01\x14\x86\x80\x80\x80\x20", 8);
	free(blob);
	pool_done(&pool);
}

TEST(clocks)
{
	struct segment_run page = {.clock_kind = SEGMENT_CLOCK_TSC,
				   .start_ticks = 5000,
				   .start_monotonic_ns = 100000,
				   .ticks_per_second = 2e9,
				   .boot_id = "of no boot"};
	struct segment_state last = {.magic = 0};
	struct ticks ticks;

	ticks_calibrate(&ticks, &page, &last); /* no later pair: the writer's estimate */
	assert_false(ticks.same_boot);
	assert_true(ticks.ticks_per_second == 2e9);
	assert_int_equal(ticks_since_start_ns(&ticks, 7000), 1000);
	assert_int_equal(ticks_since_start_ns(&ticks, 4000), 0);
	assert_int_equal(ticks_from_monotonic(&ticks, 101000), 7000);
	assert_int_equal(ticks_to_monotonic(&ticks, 7000), 101000);
	last.last_monotonic_ns = 100000 + 1000000000;
	last.last_ticks = 5000 + 2001000000; /* 0.05 % faster: believed */
	ticks_calibrate(&ticks, &page, &last);
	assert_true(ticks.ticks_per_second == 2001000000.0);
	last.last_ticks = 5000 + 2500000000u; /* 25 % faster: the machine slept */
	ticks_calibrate(&ticks, &page, &last);
	assert_true(ticks.ticks_per_second == 2e9);
	page.ticks_per_second = NAN;
	ticks_calibrate(&ticks, &page, &last);
	assert_true(ticks.ticks_per_second == 2.5e9);
	assert_int_equal(ticks_duration_ns(&ticks, 1e300), TICKS_LONGEST_NS);
	assert_int_equal(ticks_duration_ns(&ticks, -5), 0);
	assert_int_equal(ticks_duration_ns(&ticks, NAN), 0);
}

static int wait_for_death(int pidfd)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

	return poll(&poll_fd, 1, 10000) == 1;
}

TEST(exit_statuses)
{
	struct wait_status status;
	uint64_t start_time;
	int pid, pidfd;

	pid = fork();
	if (pid == 0)
		_exit(7);
	start_time = liveness_start_time(pid, 0, INT64_MAX);
	assert_int_equal(liveness_open(pid, start_time + 1), -ESRCH);
	pidfd = liveness_open(pid, start_time);
	assert_true(pidfd >= 0 && wait_for_death(pidfd));
	assert_false(liveness_check(pid, start_time)); /* a zombie */
	status = liveness_exit_status(pidfd, pid, start_time);
	assert_true(status.is_known && status.exit_code == 7 && !status.exit_signal);
	waitpid(pid, NULL, 0);
	close(pidfd);
	assert_int_equal(liveness_open(pid, start_time), -ESRCH);

	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	pidfd = liveness_open(pid, 0);
	assert_true(liveness_check(pid, 0));
	assert_int_equal(liveness_start_time(pid, 0, 1), 0); /* began later than that */
	kill(pid, SIGKILL);
	assert_true(wait_for_death(pidfd));
	waitpid(pid, NULL, 0);
	status =
		liveness_exit_status(pidfd, pid, 0); /* reaped: only newer kernels know */
	if (status.is_known)
		assert_int_equal(status.exit_signal, SIGKILL);
	close(pidfd);
}

static void *named_thread(void *argument)
{
	pthread_setname_np(pthread_self(), "spinner");
	pthread_barrier_wait(argument);
	pthread_barrier_wait(argument);
	return NULL;
}

TEST(samples)
{
	struct resource_process process;
	struct resources resources;
	struct timespec pause = {.tv_nsec = 5000000};
	pthread_barrier_t barrier;
	pthread_t thread;
	int found = 0;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, named_thread, &barrier);
	pthread_barrier_wait(&barrier);
	resources_init(&resources);
	resources_process_init(&process, getpid(), 42);
	assert_true(resources_round_begin(&resources, ticks_monotonic_ns()));
	assert_false(resources_round_begin(&resources, ticks_monotonic_ns()));
	nanosleep(&pause, NULL);
	resources_sample(&resources, &process);
	resources_note_threads(&resources, getpid());
	assert_int_equal(resources.count, 1);
	assert_int_equal(resources.samples[0].start_ticks, 42);
	assert_int_equal(resources.samples[0].thread_count, 2);
	assert_true(resources.samples[0].rss_bytes > 100000);
	assert_true(resources.samples[0].minor_faults > 0);
	/* a kernel without schedstat tells nothing */
	assert_true(access("/proc/self/schedstat", R_OK) < 0 ||
		    resources.samples[0].cpu_wait_ns > 0);
	assert_true(resources.samples[0].read_bytes > 0);
	assert_true(resources.samples[0].cpu_percent >= 0 &&
		    resources.samples[0].cpu_percent < 250);
	for (size_t i = 0; i < resources.thread_count; i++)
		found |= strcmp(resources.threads[i].name, "spinner") == 0;
	assert_true(found);
	assert_non_null(resources_thread(&resources, getpid(), getpid()));
	assert_null(resources_thread(&resources, getpid(), 1));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
	resources_done(&resources);
}

/* The last look at a process often comes when it has ended: it is not without memory. */
TEST(samples_of_ended_processes)
{
	struct resource_process process;
	struct resources resources;
	pid_t child = fork();
	siginfo_t information;

	if (child == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT), 0);
	resources_init(&resources);
	resources_process_init(&process, child, 42);
	assert_true(resources_round_begin(&resources, ticks_monotonic_ns()));
	resources_sample(&resources, &process);
	assert_int_equal(resources.count, 1);
	assert_int_equal(resources.samples[0].rss_bytes, -1);
	assert_true(resources.samples[0].minor_faults > 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	resources_done(&resources);
}

/* However long the run, the samples stay few and the last one is kept. */
TEST(bounded_samples)
{
	struct resource_process processes[2];
	struct resources resources;
	uint64_t now = 1;

	resources_init(&resources);
	resources_process_init(&processes[0], getpid(), 1);
	resources_process_init(&processes[1], getpid(), 2);
	for (int i = 0; i < 14000; i++) {
		assert_true(resources_round_begin(&resources, now));
		resources_sample(&resources, &processes[0]);
		resources_sample(&resources, &processes[1]);
		now = resources.next_ns;
	}
	assert_true(resources.count <= RESOURCES_LIMIT && resources.count > 10000);
	assert_int_equal(resources.interval_ns, 2 * RESOURCES_INTERVAL_NS);
	for (size_t i = 1; i < resources.count; i++)
		assert_true(resources.samples[i - 1].round <= resources.samples[i].round);
	resources_done(&resources);
}

/* The same for GPUs; merging keeps the highest memory and the mean of what is known. */
TEST(bounded_gpu_samples)
{
	struct gpu_sample sample = {.pid = 7, .device = 1};
	struct gpu_samples samples, copy;

	gpu_samples_init(&samples);
	for (uint32_t i = 0; i <= GPU_SAMPLE_LIMIT; i++) {
		sample.monotonic_ns = i;
		sample.memory_bytes = i % 2 ? 100 : 300;
		sample.utilisation_percent = i % 4 == 0 ? 50 : i % 4 == 3 ? 10 : -1;
		gpu_samples_add(&samples, &sample);
		samples.round++;
	}
	assert_int_equal(samples.count, GPU_SAMPLE_LIMIT / 2 + 1);
	assert_int_equal(samples.interval_ns, 2 * GPU_INTERVAL_NS);
	for (size_t i = 0; i + 1 < samples.count; i++) {
		const struct gpu_sample *merged = &samples.samples[i];

		assert_int_equal(merged->round, i);
		assert_int_equal(merged->monotonic_ns, 2 * i + 1);
		assert_int_equal(merged->memory_bytes, 300);
		assert_true(merged->utilisation_percent == (i % 2 ? 10 : 50));
		assert_true(merged->pid == 7 && merged->device == 1);
	}
	gpu_samples_copy(&samples, &copy);
	assert_int_equal(copy.count, samples.count);
	assert_memory_equal(copy.samples, samples.samples,
			    copy.count * sizeof(*copy.samples));
	gpu_samples_done(&copy);
	gpu_samples_done(&samples);
	gpu_samples_copy(&samples, &copy);
	assert_int_equal(copy.count, 0);
	gpu_samples_done(&copy);
}
