/* SPDX-License-Identifier: MIT */
/*
 * What this is:  detached.c and detached_bare.c, which differ in their hooks.
 */
#pragma once

#include "truth.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKERS 100
#define IDLERS 60
#define LATECOMERS 8

static pthread_key_t key;
static void *kept[LATECOMERS];
static int kept_count, begun;

ALONE static void fail(void)
{
	if (!dlopen("/no/such/library", RTLD_NOW))
		keep(dlerror());
}

ALONE static void *work(void *argument)
{
	void *block = malloc(100);

	keep(block);
	free(block);
	fail();
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < WORKERS)
		usleep(1000);
	return argument;
}

/* Many at a time: libc keeps the stacks of a few. */
__attribute__((no_instrument_function)) static void *idle(void *argument)
{
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < WORKERS + IDLERS)
		usleep(1000);
	return argument;
}

__attribute__((no_instrument_function)) ALONE static void at_end(void *value)
{
	uintptr_t rounds = (uintptr_t)value;
	void *block;

	if (rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(key, (void *)(rounds + 1));
		return;
	}
	block = malloc(40);
	keep(block);
	kept[__atomic_fetch_add(&kept_count, 1, __ATOMIC_RELAXED)] = realloc(block, 60);
	block = malloc(30);
	keep(block);
	free(block);
}

/* An event, so that the thread has a record, and our key is there before its own. */
ALONE static void *come_late(void *argument)
{
	void *block = malloc(1);

	keep(block);
	free(block);
	pthread_setspecific(key, (void *)1);
	return argument;
}

static int is_alone(void)
{
	struct stat info;

	return stat("/proc/self/task", &info) == 0 && info.st_nlink == 3;
}

int main(void)
{
	pthread_attr_t detached;
	pthread_t thread;

	pthread_key_create(&key, at_end);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&thread, &detached, work, NULL))
			return 1;
	while (!is_alone())
		usleep(1000);
	for (int i = 0; i < IDLERS; i++)
		if (pthread_create(&thread, &detached, idle, NULL))
			return 1;
	for (int i = 0; i < LATECOMERS; i++) {
		if (pthread_create(&thread, NULL, come_late, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	while (!is_alone())
		usleep(1000);
	keep(kept);
	return 0;
}
