/* SPDX-License-Identifier: MIT */
/*
 * What this is:  who has a spool directory, and taking over those that nobody has.
 * Runs on:       one thread at a time; collector and prof-analyze.
 * Must not:      touch a spool that a collector holds the lock of.
 * See also:      shim/collector/spool.h
 */
#include "shim/collector/spool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/collector/alive.h"
#include "shim/collector/array.h"
#include "shim/collector/ingest.h"
#include "shim/collector/store.h"

/* How long a collector may take to get the lock. */
#define START_LIMIT_NS 3000000000ull

static int is_token(const char *name)
{
	for (int i = 0; i < 16; i++) {
		if (!isxdigit((unsigned char)name[i]))
			return 0;
	}
	return name[16] == 0;
}

/* Is the lock held by somebody? */
static int is_attended(const char *directory)
{
	char path[SEGMENT_PATH_MAX + 16];
	int fd, attended;

	snprintf(path, sizeof(path), "%s/%s", directory, SEGMENT_RUN_NAME);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	attended = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	close(fd);
	return attended;
}

/* A run of another boot has no living processes, whatever numbers are in use now. */
static int has_living_process(const char *directory)
{
	char error[256], path[SEGMENT_PATH_MAX];
	struct read_run run;
	struct ticks ticks;
	int alive = 0;
	int32_t pid;

	if (read_run_open(&run, directory, error, sizeof(error)) < 0)
		return 0;
	ticks_calibrate(&ticks, &run.page);
	for (size_t i = 0; !alive && i < run.process_count; i++)
		alive = fate_is_alive(&run, &ticks, &run.processes[i]);
	/* a forked child that has no slot yet, or the first process */
	if (!alive && ticks.same_boot && realpath(directory, path))
		alive = alive_find_users(path, run.page.start_monotonic_ns, &pid, 1) > 0;
	read_run_close(&run);
	return alive;
}

/* Has the collector been started just now, and may not have the lock yet? */
static int is_starting(const struct segment_run *page)
{
	uint64_t now = ticks_monotonic_ns();
	struct ticks ticks;

	if (page->collector_state != SEGMENT_COLLECTOR_STARTING)
		return 0;
	if (page->collector_pid && !alive_check(page->collector_pid, 0))
		return 0;
	ticks_calibrate(&ticks, page);
	return ticks.same_boot && now >= page->start_monotonic_ns &&
	       now - page->start_monotonic_ns < START_LIMIT_NS;
}

/* Fills in state and pids. 0: list it, -ENOENT: not a run, or one that is stored. */
static int inspect(struct spool_run *run)
{
	struct segment_run page;
	char path[sizeof(run->directory) + 16], error[256];

	snprintf(path, sizeof(path), "%s/%s", run->directory, SEGMENT_RUN_NAME);
	if (access(path, F_OK) < 0)
		return -ENOENT;
	run->state = SPOOL_ABANDONED;
	if (read_run_page(run->directory, &page, error, sizeof(error)) < 0)
		return 0; /* spool_recover() will say what is wrong with it */
	run->first_pid = page.first_pid;
	run->collector_pid = page.collector_pid;
	if (is_attended(run->directory)) {
		if (page.collector_state == SEGMENT_COLLECTOR_FINISHED)
			return -ENOENT;
		run->state = page.collector_state == SEGMENT_COLLECTOR_FINISHING
				     ? SPOOL_FINISHING
				     : SPOOL_RECORDING;
	} else if (has_living_process(run->directory)) {
		run->state = is_starting(&page) ? SPOOL_RECORDING : SPOOL_UNATTENDED;
	} else if (is_starting(&page)) {
		run->state = SPOOL_FINISHING;
	}
	return 0;
}

static int add_run(struct spool_run **runs, size_t *count, const char *spool,
		   const char *token)
{
	struct spool_run run = {.state = SPOOL_ABANDONED}, *bigger;

	if ((size_t)snprintf(run.directory, sizeof(run.directory), "%s/%s", spool,
			     token) >= sizeof(run.directory))
		return -ENAMETOOLONG;
	snprintf(run.token, sizeof(run.token), "%.16s", token);
	if (inspect(&run) < 0)
		return 0;
	bigger = array_room(*runs, *count, sizeof(run));
	if (!bigger)
		return -ENOMEM;
	*runs = bigger;
	bigger[(*count)++] = run;
	return 0;
}

int spool_list(const char *output, struct spool_run **ret_runs, size_t *ret_count)
{
	char spool[SEGMENT_PATH_MAX];
	struct spool_run *runs = NULL;
	struct dirent *entry;
	size_t count = 0;
	int result = 0;
	DIR *directory;

	*ret_runs = NULL;
	*ret_count = 0;
	if ((size_t)snprintf(spool, sizeof(spool), "%s%s", output,
			     SEGMENT_SPOOL_SUFFIX) >= sizeof(spool))
		return -ENAMETOOLONG;
	directory = opendir(spool);
	if (!directory)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (result == 0 && (entry = readdir(directory))) {
		if (is_token(entry->d_name))
			result = add_run(&runs, &count, spool, entry->d_name);
	}
	closedir(directory);
	if (result < 0) {
		free(runs);
		return result;
	}
	*ret_runs = runs;
	*ret_count = count;
	return 0;
}

int spool_lock(const char *directory)
{
	char path[SEGMENT_PATH_MAX + 16];
	int fd, result;

	/* not a file of its own: there may be no room for one */
	snprintf(path, sizeof(path), "%s/%s", directory, SEGMENT_RUN_NAME);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		result = errno == EWOULDBLOCK ? -EAGAIN : -errno;
		close(fd);
		return result;
	}
	/* whoever had it before may have removed everything */
	if (access(path, F_OK) < 0) {
		close(fd);
		rmdir(directory);
		return -EAGAIN;
	}
	return fd;
}

/* The run page goes first: without it nobody takes the directory for a run. */
int spool_remove(const char *directory)
{
	char spool[SEGMENT_PATH_MAX], *slash;
	struct dirent *entry;
	DIR *files = opendir(directory);

	if (!files)
		return -errno;
	unlinkat(dirfd(files), SEGMENT_RUN_NAME, 0);
	while ((entry = readdir(files))) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(files), entry->d_name, 0);
	}
	closedir(files);
	if (rmdir(directory) < 0)
		return -errno;
	snprintf(spool, sizeof(spool), "%s", directory);
	slash = strrchr(spool, '/');
	if (slash && slash != spool) {
		*slash = 0;
		rmdir(spool); /* fails while there are other runs */
	}
	return 0;
}

static int recover_locked(const struct spool_run *run, const char *output, char *error,
			  size_t error_size)
{
	struct ingest_watch watch = {.is_recovered = 1};
	struct ingest ingest;
	struct sqlite3 *db;
	int result;

	result = ingest_load(&ingest, run->directory, &watch, error, error_size);
	if (result < 0)
		return result;
	result = store_open(output, &db, error, error_size);
	if (result == 0) {
		result = store_run(db, &ingest, error, error_size);
		store_close(db);
	}
	ingest_done(&ingest);
	if (result == 0)
		spool_remove(run->directory);
	return result;
}

int spool_recover(const struct spool_run *run, const char *output, char *error,
		  size_t error_size)
{
	int lock = spool_lock(run->directory), result;

	if (lock < 0) {
		snprintf(error, error_size, "cannot lock the spool %s: %s",
			 run->directory, strerror(-lock));
		return lock;
	}
	result = recover_locked(run, output, error, error_size);
	close(lock);
	return result;
}

/* Names of the threads that live: they have left none yet. */
static void name_threads(const struct ingest *ingest, struct resources *resources)
{
	for (size_t i = 0; i < ingest->run.process_count; i++) {
		if (ingest->fates[i].is_alive)
			resources_thread_names(resources, ingest->run.processes[i].pid);
	}
}

int spool_read_live(const struct spool_run *run, struct sqlite3 *db, char *error,
		    size_t error_size)
{
	struct resources resources;
	struct ingest_watch watch = {.resources = &resources, .is_live = 1};
	struct ingest ingest;
	int result;

	resources_init(&resources);
	result = ingest_load(&ingest, run->directory, &watch, error, error_size);
	if (result == 0) {
		name_threads(&ingest, &resources);
		result = store_run(db, &ingest, error, error_size);
		ingest_done(&ingest);
	}
	resources_done(&resources);
	return result;
}
