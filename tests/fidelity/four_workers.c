/* SPDX-License-Identifier: MIT */
/*
 * What this is:  four threads that share the work of one array by parts that are given
 * out beforehand, so that each makes the same calls on every run: for scripts/fidelity.
 * usage: four_workers [SCALE]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 4
#define WORDS 4096

struct worker {
	pthread_t thread;
	unsigned int number, rounds;
	uint64_t words[WORDS];
	uint64_t sum;
};

static struct worker workers[WORKERS];
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;

static uint64_t rotate(uint64_t word, unsigned int by)
{
	return word << by | word >> (64 - by);
}

__attribute__((noinline)) static uint64_t mix(uint64_t word, uint64_t key)
{
	word ^= rotate(key, 23);
	word *= UINT64_C(0x9e3779b97f4a7c15);
	return word ^ word >> 29;
}

__attribute__((noinline)) static void fill(struct worker *worker)
{
	for (unsigned int i = 0; i < WORDS; i++)
		worker->words[i] = mix(i, worker->number);
}

__attribute__((noinline)) static uint64_t scramble(uint64_t *words, uint64_t key)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < WORDS; i++) {
		words[i] = mix(words[i], key + i);
		sum += words[i] & 0xff;
	}
	return sum;
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

__attribute__((noinline)) static uint64_t middle(const uint64_t *words)
{
	uint64_t sorted[WORDS / 8];

	for (unsigned int i = 0; i < WORDS / 8; i++)
		sorted[i] = words[i * 8];
	qsort(sorted, WORDS / 8, sizeof(*sorted), by_value);
	return sorted[WORDS / 16];
}

/* Long loops without a call: where a recorder should cost nothing. */
__attribute__((noinline)) static uint64_t digest(const uint64_t *words)
{
	uint64_t sum = 1;

	for (unsigned int round = 0; round < 8; round++)
		for (unsigned int i = 0; i < WORDS; i++)
			sum = (sum ^ words[i]) * 0x100000001b3;
	return sum;
}

static void add_total(uint64_t sum)
{
	pthread_mutex_lock(&total_lock);
	total += sum;
	pthread_mutex_unlock(&total_lock);
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	fill(worker);
	for (unsigned int round = 0; round < worker->rounds; round++) {
		worker->sum += scramble(worker->words, round);
		worker->sum ^= middle(worker->words);
		worker->sum += digest(worker->words);
		add_total(worker->sum & 0xffff);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int scale = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;

	for (unsigned int i = 0; i < WORKERS; i++) {
		workers[i].number = i;
		workers[i].rounds = 100 * scale * (i + 1);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (unsigned int i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	printf("total %llu\n", (unsigned long long)total);
	return 0;
}
