/* SPDX-License-Identifier: MIT */
/*
 * Finds out who has a spool directory and takes over those that nobody has. Must not
 * touch a spool whose lock a collector holds.
 */
#include "collector/store/spool.h"

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

#include "collector/processes/liveness.h"
#include "common/base/xalloc.h"
#include "collector/ingest/ingest.h"
#include "collector/read/rundir.h"
#include "collector/processes/samples.h"
#include "collector/store/ids.h"
#include "collector/store/store.h"

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

/* Does somebody hold the lock? */
static int is_attended(const struct rundir *rundir)
{
	int fd = rundir_open_file(rundir->fd, SEGMENT_RUN_NAME, O_RDONLY), attended;

	if (fd < 0)
		return 0;
	attended = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	close(fd);
	return attended;
}

/* A run of another boot has no living processes, whichever pids are in use now. */
static int has_living_process(const struct rundir *rundir)
{
	char error[256], path[SEGMENT_PATH_MAX], link[32];
	struct read_run run;
	struct ticks ticks;
	int alive = 0;
	ssize_t length;
	int32_t pid;

	/* images that have ended belong to no living process */
	if (read_run_open_files(&run, rundir, error, sizeof(error)) < 0)
		return 0;
	ticks_calibrate(&ticks, &run.page, &run.state);
	for (size_t i = 0; !alive && i < run.process_count; i++)
		alive = !(run.processes[i].is_former &&
			  run.processes[i].state == SEGMENT_PROCESS_EXITING) &&
			ending_is_alive(&run, &ticks, &run.processes[i]);
	/* finds a forked child that has no slot yet, or the first process */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", rundir->fd);
	length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	if (!alive && ticks.same_boot && length > 0)
		alive = liveness_find_users(path, run.page.start_monotonic_ns, &pid, 1) >
			0;
	read_run_close(&run);
	return alive;
}

/* Was the collector started so recently that it may not have the lock yet? */
static int is_starting(const struct segment_run *page, const struct segment_state *state)
{
	uint64_t now = ticks_monotonic_ns();
	struct ticks ticks;

	if (state->collector_state != SEGMENT_COLLECTOR_STARTING)
		return 0;
	if (state->collector_pid && !liveness_check(state->collector_pid, 0))
		return 0;
	ticks_calibrate(&ticks, page, state);
	return ticks.same_boot && now >= page->start_monotonic_ns &&
	       now - page->start_monotonic_ns < START_LIMIT_NS;
}

/* Fills in state and pids. 0: list the run; -ENOENT: not a run, or already stored. */
static int inspect(struct spool_run *run, const struct rundir *rundir)
{
	struct segment_state state;
	struct segment_run page;
	char error[256];
	int result;

	run->state = SPOOL_ABANDONED;
	result = read_run_page(rundir, &page, error, sizeof(error));
	if (result == -ENOENT)
		return result;
	if (result < 0)
		return 0; /* spool_recover() will say what is wrong with it */
	read_run_state(rundir, &page, &state);
	run->first_pid = page.first_pid;
	run->collector_pid = state.collector_pid;
	if (is_attended(rundir)) {
		if (state.collector_state == SEGMENT_COLLECTOR_FINISHED)
			return -ENOENT;
		run->state = state.collector_state == SEGMENT_COLLECTOR_FINISHING
				     ? SPOOL_FINISHING
				     : SPOOL_RECORDING;
	} else if (has_living_process(rundir)) {
		run->state =
			is_starting(&page, &state) ? SPOOL_RECORDING : SPOOL_UNATTENDED;
	} else if (is_starting(&page, &state)) {
		run->state = SPOOL_FINISHING;
	}
	return 0;
}

static void append(struct spool_run **runs, size_t *count, const struct spool_run *run)
{
	ARRAY_ADD(*runs, *count) = *run;
}

static void append_foreign(struct spool_run **runs, size_t *count, const char *directory,
			   uid_t owner)
{
	struct spool_run run = {.state = SPOOL_FOREIGN};

	snprintf(run.directory, sizeof(run.directory), "%s", directory);
	if (owner != geteuid())
		rundir_name_owner(owner, run.owner, sizeof(run.owner));
	else
		snprintf(run.owner, sizeof(run.owner), "whoever can write into it");
	append(runs, count, &run);
}

static int add_run(struct spool_run **runs, size_t *count, const char *spool,
		   const char *token)
{
	struct spool_run run = {.state = SPOOL_ABANDONED};
	char error[SEGMENT_PATH_MAX + 128];
	struct rundir rundir;
	int result;

	if ((size_t)snprintf(run.directory, sizeof(run.directory), "%s/%s", spool,
			     token) >= sizeof(run.directory))
		return -ENAMETOOLONG;
	snprintf(run.token, sizeof(run.token), "%.16s", token);
	result = rundir_open(&rundir, run.directory, error, sizeof(error));
	if (result == -EPERM)
		append_foreign(runs, count, run.directory, rundir.owner);
	if (result < 0)
		return 0; /* gone meanwhile, or no directory */
	if (inspect(&run, &rundir) == 0)
		append(runs, count, &run);
	rundir_close(&rundir);
	return 0;
}

/* Of a stored run; another user's stays. */
static void remove_rest(const char *spool, const char *name)
{
	char path[SEGMENT_PATH_MAX], error[SEGMENT_PATH_MAX + 128];
	struct rundir rundir;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", spool, name) >= sizeof(path) ||
	    rundir_open(&rundir, path, error, sizeof(error)) < 0)
		return;
	rundir_remove(&rundir);
	rundir_close(&rundir);
}

static int list_directory(const char *spool, int fd, struct spool_run **runs,
			  size_t *count)
{
	DIR *directory = fdopendir(fd);
	struct dirent *entry;
	int result = 0;

	if (!directory) {
		result = -errno;
		close(fd);
		return result;
	}
	while (result == 0 && (entry = readdir(directory))) {
		if (rundir_is_removed(entry->d_name))
			remove_rest(spool, entry->d_name);
		else if (is_token(entry->d_name))
			result = add_run(runs, count, spool, entry->d_name);
	}
	closedir(directory);
	return result;
}

int spool_list(const char *output, struct spool_run **ret_runs, size_t *ret_count)
{
	char spool[SEGMENT_PATH_MAX];
	struct spool_run *runs = NULL;
	size_t count = 0;
	uid_t owner;
	int result = 0, fd;

	*ret_runs = NULL;
	*ret_count = 0;
	if ((size_t)snprintf(spool, sizeof(spool), "%s%s", output,
			     SEGMENT_SPOOL_SUFFIX) >= sizeof(spool))
		return -ENAMETOOLONG;
	fd = rundir_open_directory(AT_FDCWD, spool, &owner);
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
		return 0;
	if (fd == -EPERM)
		append_foreign(&runs, &count, spool, owner);
	else
		result = fd < 0 ? fd : list_directory(spool, fd, &runs, &count);
	if (result < 0) {
		free(runs);
		return result;
	}
	*ret_runs = runs;
	*ret_count = count;
	return 0;
}

/* Reads what the run's collector has seen so far, or had when it was killed. The run is
 * readable without it. */
static void read_watch(const struct rundir *rundir, struct samples *samples,
		       struct cpu_book *outside, struct ingest_watch *watch)
{
	if (samples_read(samples, rundir) < 0)
		samples->damaged_count++;
	if (book_read(outside, rundir) < 0)
		samples->damaged_count++;
	watch->outside = outside;
	watch->resources = &samples->resources;
	watch->deaths = samples->deaths;
	watch->death_count = samples->death_count;
	watch->damaged_sample_count = samples->damaged_count;
}

static int recover_locked(const struct rundir *rundir, const char *output,
			  const struct store_waiting *waiting, char *error,
			  size_t error_size)
{
	struct ingest_watch watch = {.is_recovered = 1};
	struct cpu_book outside;
	struct samples samples;
	struct ingest ingest;
	int result;

	read_watch(rundir, &samples, &outside, &watch);
	result = ingest_load(&ingest, rundir, &watch, error, error_size);
	if (result == 0) {
		result = store_run(output, &ingest, waiting, NULL, error, error_size);
		ingest_done(&ingest);
	}
	book_done(&outside);
	samples_done(&samples);
	if (result == 0)
		rundir_remove(rundir);
	return result;
}

int spool_recover(const struct spool_run *run, const char *output,
		  const struct store_waiting *waiting, char *error, size_t error_size)
{
	struct rundir rundir;
	int lock, result;

	result = rundir_open(&rundir, run->directory, error, error_size);
	if (result < 0)
		return result == -ENOENT ? -EAGAIN : result;
	lock = rundir_lock(&rundir);
	if (lock >= 0) {
		result = recover_locked(&rundir, output, waiting, error, error_size);
		close(lock);
	} else {
		snprintf(error, error_size, "cannot lock the spool %s: %s",
			 run->directory, strerror(-lock));
		result = lock;
	}
	rundir_close(&rundir);
	return result;
}

static void look_at_thread(struct spool_look *look, const struct ingest *ingest,
			   const struct read_process *process,
			   const struct segment_thread *thread)
{
	const struct resource_thread *seen =
		resources_thread(ingest->watch.resources, process->pid, thread->tid);
	int64_t lane = read_find_lane(&ingest->run, process->file, thread->lane_slot);
	struct spool_thread *to;

	if (thread->end_ticks || lane < 0)
		return;
	to = &ARRAY_ADD(look->threads, look->thread_count);
	*to = (struct spool_thread){
		.pid = process->pid,
		.tid = thread->tid,
		.cpu_ns = seen ? seen->cpu_ns : -1,
		.ready_ns = seen ? seen->ready_ns : -1,
		.path_id = ingest->merge.open_paths[lane],
	};
	snprintf(to->name, sizeof(to->name), "%s",
		 *thread->name ? thread->name
		 : seen	       ? seen->name
			       : "");
}

/* Adds the living threads, which have not left their names yet. */
static void look_who_lives(struct spool_look *look, const struct ingest *ingest,
			   struct resources *resources)
{
	for (size_t i = 0; i < ingest->run.process_count; i++) {
		const struct read_process *process = &ingest->run.processes[i];

		if (!ingest->endings[i].is_alive)
			continue;
		if (!look->living_count++)
			look->first_pid = process->pid;
		resources_note_threads(resources, process->pid);
		for (uint32_t thread = 0; thread < process->thread_count; thread++)
			look_at_thread(look, ingest, process, &process->threads[thread]);
	}
}

/* Was the run stored by its collector and removed while we read it? Then what was missing
 * is no damage. The facts go first, see rundir_remove(). */
static int is_stored(const struct rundir *rundir, char *error, size_t error_size)
{
	if (faccessat(rundir->fd, SEGMENT_RUN_NAME, F_OK, 0) == 0)
		return 0;
	snprintf(error, error_size, "%s was removed while it was read", rundir->path);
	return 1;
}

int spool_look(const struct rundir *rundir, struct sqlite3 *db, struct spool_look *ret,
	       char *error, size_t error_size)
{
	struct ingest_watch watch = {.is_live = 1};
	ended_by(book_done) struct cpu_book outside;
	ended_by(samples_done) struct samples samples;
	struct ingest ingest;
	int result;

	*ret = (struct spool_look){.living_count = 0};
	read_watch(rundir, &samples, &outside, &watch);
	result = ingest_load(&ingest, rundir, &watch, error, error_size);
	if (result == 0) {
		look_who_lives(ret, &ingest, &samples.resources);
		result = is_stored(rundir, error, error_size)
				 ? -ENOENT
				 : store_run_into(db, &ingest, error, error_size);
		ingest_done(&ingest);
	}
	return result;
}

int spool_read_live(const struct spool_run *run, struct sqlite3 *db, char *error,
		    size_t error_size)
{
	struct spool_look look;
	struct rundir rundir;
	int result = rundir_open(&rundir, run->directory, error, error_size);

	if (result < 0)
		return result;
	result = spool_look(&rundir, db, &look, error, error_size);
	free(look.threads);
	rundir_close(&rundir);
	return result;
}
