/* SPDX-License-Identifier: MIT */
/*
 * usage: plugging ROUNDS LIBRARY... : loads, calls and unloads libraries in turns, so
 * that they come to the same place, while another thread has functions switched.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "tally.h"

#define ADDRESSES 256

enum { STEP };

static volatile unsigned int sink;
static volatile int is_over;

/* Of all functions that were at one address. */
static struct {
	void *address;
	uint64_t calls;
} known[ADDRESSES];

APART static unsigned int step(unsigned int n)
{
	TALLY(STEP);
	return n * 7;
}

static void *busy(void *argument)
{
	for (unsigned int i = 0; !is_over; i++)
		sink += step(i);
	return argument;
}

NO_HOOKS static void add(void *address, uint64_t calls)
{
	for (int i = 0; calls && i < ADDRESSES; i++) {
		if (!known[i].address)
			known[i].address = address;
		if (known[i].address == address) {
			known[i].calls += calls;
			return;
		}
	}
}

NO_HOOKS static int use(const char *path, unsigned int calls)
{
	void (*run)(uint64_t *, unsigned int, void **);
	void *library = dlopen(path, RTLD_NOW), *addresses[4] = {0};
	uint64_t made[4] = {0};

	if (!library)
		return 0;
	*(void **)&run = dlsym(library, "run");
	run(made, calls, addresses);
	for (int i = 0; i < 4; i++)
		add(addresses[i], made[i]);
	dlclose(library);
	return 1;
}

int main(int argument_count, char **arguments)
{
	int rounds = atoi(arguments[1]);
	pthread_t thread;

	tally_begin();
	if (pthread_create(&thread, NULL, busy, NULL))
		return 1;
	for (int i = 0; i < rounds; i++) {
		/* another one after every few */
		if (!use(arguments[2 + i / 3 % (argument_count - 2)], 4000))
			return 1;
	}
	is_over = 1;
	pthread_join(thread, NULL);
	TALLY_SAY(step, STEP);
	for (int i = 0; i < ADDRESSES && known[i].address; i++) {
		char name[32];

		snprintf(name, sizeof(name), "plugged%d", i);
		tallies[1] = known[i].calls;
		tally_say(name, known[i].address, 1);
	}
	return 0;
}
