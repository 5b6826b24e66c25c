/* SPDX-License-Identifier: MIT */
/*
 * Calls that are led elsewhere while threads execute them, with their displacement at
 * each place in a line: usage: switching MILLISECONDS. Each call must arrive at the one
 * place or the other; half of a displacement leads nowhere.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <time.h>

#include "common/attributes.h"
#include "shim/patch/site.h"
#include "shim/patch/text.h"

#define THREADS 3
#define PLACES 64u
#define LINE_BYTES 64u
#define APART 4096u
#define BYTES (PLACES * APART)

static uint8_t *code_bytes;
static struct code code;
static struct site sites[PLACES];
static atomic_int is_over;
static atomic_ullong made;
static __thread unsigned long long arrived_here, arrived_there;
static atomic_ullong arrived;

static never_inlined void here(void)
{
	arrived_here++;
}

static never_inlined void there(void)
{
	arrived_there++;
}

static int put_displacement(uint8_t *at, void (*target)(void))
{
	intptr_t displacement = (intptr_t)target - (intptr_t)(at + 4);
	int32_t narrow = (int32_t)displacement;

	memcpy(at, &narrow, 4);
	return narrow == displacement;
}

static void (*function_at(unsigned int place))(void)
{
	/* sub $8, %rsp before the call */
	return (void (*)(void))(sites[place].at - 4);
}

/* One function for each place of a displacement in a line. */
static void write_function(unsigned int place)
{
	uint8_t *line = code_bytes + place * APART + 2 * LINE_BYTES;
	uint8_t *call = line + place - 1;

	memcpy(call - 4, "\x48\x83\xec\x08\xe8", 5);
	if (!put_displacement(call + 1, here))
		abort();
	memcpy(call + 5, "\x48\x83\xc4\x08\xc3", 5);
	sites[place] = (struct site){.at = (uintptr_t)call, .form = SITE_CALL};
	memcpy(&sites[place].displacement, call + 1, 4);
	sites[place].written = sites[place].displacement;
}

static void *work(void *argument)
{
	unsigned long long count = 0;

	while (!is_over) {
		for (unsigned int place = 0; place < PLACES; place++) {
			for (int i = 0; i < 50; i++)
				function_at(place)();
			count += 50;
		}
	}
	atomic_fetch_add(&made, count);
	atomic_fetch_add(&arrived, arrived_here + arrived_there);
	return argument;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Memory within reach of what is called. */
static void make_code(void)
{
	uintptr_t near = ((uintptr_t)here & ~4095ul) - (64 << 20);

	code_bytes = mmap(
		(void *)near, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | 0x100000 /* MAP_FIXED_NOREPLACE */, -1, 0);
	if (code_bytes == MAP_FAILED)
		abort();
	code = (struct code){
		.text = {(uintptr_t)code_bytes, (uintptr_t)code_bytes + BYTES},
		.protection = PROT_READ | PROT_EXEC,
	};
	for (unsigned int place = 0; place < PLACES; place++)
		write_function(place);
	mprotect(code_bytes, BYTES, PROT_READ | PROT_EXEC);
}

static unsigned long long switch_all(uint64_t end)
{
	unsigned long long count = 0;

	while (now_ms() < end) {
		for (unsigned int place = 0; place < PLACES; place++) {
			struct site *site = &sites[place];
			int result = count % 2 ? site_restore(site, &code)
					       : site_lead(site, &code, (uintptr_t)there,
							   NULL);
			int is_split = text_is_split(site->at + 1, 4);

			/* there is no arena: some lead here for good */
			if (result != 0 && (count % 2 || !is_split || result != -EXDEV))
				abort();
		}
		count++;
	}
	return count;
}

int main(int argument_count, char **arguments)
{
	pthread_t threads[THREADS];
	unsigned long long rounds;

	make_code();
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	}
	rounds = switch_all(now_ms() +
			    (argument_count > 1 ? strtoul(arguments[1], NULL, 10) : 500));
	is_over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%llu calls, %llu switches of each of %u places, %lld lost\n",
	       (unsigned long long)made, rounds, PLACES, (long long)(made - arrived));
	return made != arrived;
}
