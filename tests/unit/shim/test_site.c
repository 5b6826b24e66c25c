/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of the shadow map and of the books of sites: live bytes and
 *                the exact share of the peak, against a plain model, and with threads.
 */
#include <pthread.h>

#include "shim/memory/shadow.h"
#include "shim/memory/site.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

#define SITES 4
#define THREADS 4

static uint32_t sites[SITES];
static uint32_t first_site;

static uint64_t at_peak(uint32_t site)
{
	const struct segment_site *entry = &process->sites[site];

	return entry->peak_generation == process->segment->peak_generation
		       ? entry->at_peak_bytes
		       : entry->alloc_bytes - entry->free_bytes;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

TEST(keeps_words)
{
	uintptr_t edge = (7ull << SHADOW_REGION_SHIFT) - 16;
	struct shadow_block block;

	assert_int_equal(shadow_take(0x10000).site, 0);
	assert_int_equal(shadow_put(0x10000, 5, 100, 3), 0);
	assert_int_not_equal(shadow_put(0x10000, 6, 200, 4), 0); /* a lost free */
	block = shadow_take(0x10000);
	assert_int_equal(block.site, 6);
	assert_int_equal(block.size_bytes, 200);
	assert_int_equal(block.interval, 4);
	assert_int_equal(shadow_take(0x10000).site, 0);
	/* a large block at the end of a region: its size goes to the next region */
	assert_int_equal(shadow_put(edge, 7, 1ull << 40, 0), 0);
	block = shadow_take(edge);
	assert_int_equal(block.size_bytes, 1ull << 40);
	assert_int_equal(shadow_take(edge + 16).site, 0);
	assert_int_equal(shadow_put(1ull << 60, 1, 1, 0), UINT64_MAX);
}

/* Random allocations and frees, and a model that copies everything at each new peak. */
TEST(agrees_with_a_model)
{
	uint64_t live[SITES] = {0}, share[SITES] = {0}, total = 0, peak = 0;
	struct shadow_block blocks[200];
	uint32_t count = 0, random = 1;

	for (int step = 0; step < 200000; step++) {
		uint32_t which = next_random(&random) % SITES;

		if (count < 200 && next_random(&random) % 100 < 52) {
			uint64_t size = next_random(&random) % 1000;

			site_allocated(sites[which], size, NULL);
			blocks[count].site = sites[which];
			blocks[count++].size_bytes = size;
			live[which] += size;
			total += size;
			if (total > peak) {
				peak = total;
				for (int i = 0; i < SITES; i++)
					share[i] = live[i];
			}
		} else if (count) {
			uint32_t victim = next_random(&random) % count;

			site_released(&blocks[victim], 0, 0);
			live[blocks[victim].site - sites[0]] -= blocks[victim].size_bytes;
			total -= blocks[victim].size_bytes;
			blocks[victim] = blocks[--count];
		}
	}
	assert_int_equal(process->segment->peak_bytes, peak);
	assert_int_equal(process->segment->peak_bytes - process->segment->below_peak,
			 total);
	for (int i = 0; i < SITES; i++)
		assert_int_equal(at_peak(sites[i]), share[i]);
	while (count)
		site_released(&blocks[--count], 0, 0);
}

static void *exchange(void *argument)
{
	uint32_t random = (uint32_t)(uintptr_t)argument, count = 0;
	struct shadow_block blocks[64];

	for (int step = 0; step < 100000; step++) {
		if (count < 64 && next_random(&random) % 100 < 55) {
			blocks[count].site = sites[next_random(&random) % SITES];
			blocks[count].size_bytes = next_random(&random) % 5000;
			site_allocated(blocks[count].site, blocks[count].size_bytes,
				       NULL);
			count++;
		} else if (count) {
			uint32_t victim = next_random(&random) % count;

			site_released(&blocks[victim], 0, 0);
			blocks[victim] = blocks[--count];
		}
	}
	while (count)
		site_released(&blocks[--count], 0, 0);
	return NULL;
}

/* With threads nobody knows what the peak must be, but the shares add up to it and the
 * books are empty at the end. */
TEST(shares_add_up_with_threads)
{
	pthread_t threads[THREADS];
	uint64_t sum = 0;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, exchange, (void *)(i + 1)), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t i = first_site; i < process->site_next; i++) {
		const struct segment_site *site = &process->sites[i];

		sum += at_peak(i);
		assert_int_equal(site->alloc_count, site->free_count);
		assert_int_equal(site->alloc_bytes, site->free_bytes);
	}
	assert_int_equal(sum, process->segment->peak_bytes);
	assert_int_equal(process->segment->below_peak, process->segment->peak_bytes);
}

static int begin_all(void **state)
{
	(void)state;
	fixture_begin(1000);
	first_site = process->site_next ? process->site_next : 1;
	for (int i = 0; i < SITES; i++)
		sites[i] = site_new(0, 0);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

TEST_GROUP(begin_all, end_all)
