/* SPDX-License-Identifier: MIT */
/*
 * profshim-collect: watches one run and writes it into run.db. Runs on: a process of its
 * own, detached from the program it watches: fds 0 to 2 are /dev/null, its own session,
 * an empty environment. Must not outlive the run by more than the writing; signal
 * anybody.
 *
 * THE END OF A RUN
 *
 * The first process says that it exits and waits (bounded) for us. When nobody else is
 * alive we write run.db at once and let it go; it can still make calls after that, so
 * when it is dead the numbers are compared and the run is written again if they moved or
 * it died otherwise than it said. While others are alive, the first is let go at once
 * and run.db written when the last is dead. A report that was asked for is made at the
 * very end: nobody waits for it, and prof-analyze waits for runs in the spool.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/attributes.h"
#include "common/plain_text.h"
#include "common/segment.h"
#include "common/base/xalloc.h"
#include "collector/ingest/ingest.h"
#include "collector/begin.h"
#include "collector/report_file.h"
#include "collector/read/rundir.h"
#include "collector/processes/samples.h"
#include "collector/live/control.h"
#include "collector/store/store.h"
#include "collector/processes/ticks.h"
#include "collector/watch/table.h"
#include "collector/live/sampling.h"
#include "collector/watch/outside.h"

#define WAIT_NS 100000000ull
#define LONG_LOOK_NS 500000ull
#define MOST_LOOKS 100u /* without a pause, in WAIT_NS */
#define ERROR_NAME "error"

struct collector {
	struct rundir rundir;
	int lock;
	struct segment_run run;	      /* as handed over at the start */
	struct segment_state *shared; /* mapped; nothing of it is believed */
	/* what we have written into it: */
	enum segment_collector_state state;
	int has_released_first;
	uint64_t looks_since_ns; /* WAIT_NS at most */
	uint32_t look_count;	 /* since then */
	struct watch watch;
	struct intervals intervals;
	struct answers answers;
	struct sampling sampling;
	struct outside outside;
	struct samples_writer samples;
	int is_stored, was_tried;
	uint64_t checksum; /* of what was stored */
	int64_t run_id;	   /* likewise */
	struct wait_status status;
};

static void set_state(struct collector *collector, enum segment_collector_state state)
{
	/* release: run.db is complete before the first process is told so */
	collector->state = state;
	__atomic_store_n(&collector->shared->collector_state, state, __ATOMIC_RELEASE);
	bell_ring(collector->shared);
}

static void release_first(struct collector *collector)
{
	if (collector->has_released_first)
		return;
	collector->has_released_first = 1;
	__atomic_store_n(&collector->shared->release_first, 1, __ATOMIC_RELEASE);
	bell_ring(collector->shared);
}

/* The spool stays, for prof-analyze; this tells why. */
static void leave_reason(const struct collector *collector, const char *reason)
{
	int fd = rundir_create_file(collector->rundir.fd, ERROR_NAME);

	if (fd < 0)
		return;
	dprintf(fd, "%s\n", reason);
	close(fd);
}

/* Was what has been stored removed since? The database goes first, by its name; when the
 * spool is half removed, the numbers in it look as if the run had moved on. */
static int is_unwanted(const struct collector *collector)
{
	return access(collector->rundir.path, F_OK) < 0 ||
	       access(collector->run.output, F_OK) < 0;
}

/* The first process waits for its own run, not for the disk or for somebody else's run:
 * together for no longer than this. */
#define PATIENCE_MS 50

static struct collector *waited_for; /* for the signal's handler */

static void patience_ends(int signal_number)
{
	(void)signal_number;
	release_first(waited_for);
}

/* While the disk is waited for the time runs; fsync() cannot be asked how it gets on. */
static void syncing(void *context, int begins)
{
	static struct itimerval left = {.it_value.tv_usec = PATIENCE_MS * 1000};
	static const struct itimerval none;

	waited_for = context;
	if (begins)
		setitimer(ITIMER_REAL, &left, NULL);
	else
		setitimer(ITIMER_REAL, &none, &left);
}

static int locked(void *context, unsigned waited_ms)
{
	if (waited_ms >= PATIENCE_MS)
		release_first(context);
	return 1;
}

static void readable(void *context)
{
	release_first(context);
}

/* Without memory the run is left to who reads it next: it is in the spool, whole. */
static void out_of_memory(void *context)
{
	struct collector *collector = context;

	leave_reason(collector, "out of memory");
	release_first(collector);
	set_state(collector, SEGMENT_COLLECTOR_NONE);
}

static int load_and_store(struct collector *collector, char *error, size_t error_size)
{
	ended_by(gpu_samples_done) struct gpu_samples gpu;
	struct ingest_watch seen = {.resources = &collector->watch.resources,
				    .gpu = &gpu,
				    .kept = &collector->watch.kept,
				    .outside = &collector->outside.book,
				    .deaths = collector->watch.deaths,
				    .death_count = collector->watch.death_count,
				    .unread_objects = collector->answers.trouble_count,
				    .unread_object = collector->answers.trouble};
	const struct store_waiting waiting = {locked, syncing, readable, collector};
	auto_free struct ingest_user *others =
		table_other_users(&collector->watch, &seen.other_user_count);
	struct ingest ingest;
	int result;

	seen.other_users = others;
	gpu_take(&collector->watch.gpu, &gpu);
	result = ingest_load(&ingest, &collector->rundir, &seen, error, error_size);
	if (result == 0 && collector->is_stored && is_unwanted(collector)) {
		ingest_done(&ingest); /* it was read while it was being removed */
	} else if (result == 0) {
		collector->status = ingest.status;
		result = store_run(collector->run.output, &ingest, &waiting,
				   &collector->run_id, error, error_size);
		ingest_done(&ingest);
	}
	return result;
}

static void store(struct collector *collector)
{
	char error[1024] = "";
	uint64_t checksum;

	removed_spool_restore(
		&collector->watch); /* without it, loading says what is missing */
	outside_drain(&collector->outside);
	checksum = read_run_checksum(&collector->rundir);
	set_state(collector, SEGMENT_COLLECTOR_FINISHING);
	if (load_and_store(collector, error, sizeof(error)) < 0) {
		collector->is_stored = 0;
		leave_reason(collector, error);
		set_state(collector, SEGMENT_COLLECTOR_NONE);
		return;
	}
	collector->is_stored = 1;
	collector->checksum = checksum;
	set_state(collector, SEGMENT_COLLECTOR_FINISHED);
}

static int is_same_status(const struct wait_status *a, const struct wait_status *b)
{
	return a->is_known == b->is_known && a->exit_code == b->exit_code &&
	       a->exit_signal == b->exit_signal;
}

/* Did the first process die as it was stored? */
static int is_status_as_stored(const struct collector *collector)
{
	const struct watch *watch = &collector->watch;

	for (size_t i = watch->process_count; i-- > 0;) {
		const struct watch_process *process = &watch->processes[i];

		if (process->death.pid == collector->run.first_pid &&
		    process->state == WATCH_DEAD)
			return !process->death.status.is_known ||
			       is_same_status(&process->death.status, &collector->status);
	}
	return 1;
}

/* All are dead. Who removes run.db and the spool once the run is stored wants them gone,
 * not written again. */
static void finish(struct collector *collector)
{
	if (collector->is_stored && is_unwanted(collector)) {
		rundir_remove(&collector->rundir);
		return;
	}
	if (!collector->is_stored || !is_status_as_stored(collector) ||
	    collector->checksum != read_run_checksum(&collector->rundir))
		store(collector);
	if (collector->is_stored)
		rundir_remove(&collector->rundir);
}

/* Snapshots that are due do not wait for it. */
static void pause_for(struct collector *collector, uint64_t pause_ns)
{
	uint64_t now_ns = ticks_monotonic_ns(), end_ns = now_ns + pause_ns;

	for (; now_ns < end_ns; now_ns = ticks_monotonic_ns()) {
		struct timespec pause = {.tv_nsec = (long)intervals_update(
						 &collector->intervals, &collector->watch,
						 end_ns - now_ns)};

		nanosleep(&pause, NULL);
	}
}

/* With many processes coming and going, a look for each ring would cost more than the
 * looks tell: at most a tenth of the time is spent looking. So it is when somebody rings
 * without end; whoever has the page mapped can. */
static void pause_when_busy(struct collector *collector, uint64_t began_ns)
{
	uint64_t now_ns = ticks_monotonic_ns(), look_ns = now_ns - began_ns;
	uint64_t pause_ns = look_ns * 9 < WAIT_NS ? look_ns * 9 : WAIT_NS;

	if (now_ns - collector->looks_since_ns > WAIT_NS) {
		collector->looks_since_ns = now_ns;
		collector->look_count = 0;
	}
	collector->look_count++;
	if (outside_is_urgent(&collector->outside))
		return;
	if ((look_ns > LONG_LOOK_NS || collector->look_count > MOST_LOOKS) &&
	    !table_first_is_exiting(&collector->watch))
		pause_for(collector, pause_ns);
}

/* The first process exits or is dead. Returns 1 when everybody is dead. */
static int look_at_end(struct collector *collector)
{
	struct watch *watch = &collector->watch;

	/* who was alive when looked at may have been dead when the first said it exits */
	if (table_others_alive(watch) && !collector->has_released_first)
		watch_update(watch);
	if (table_others_alive(watch)) {
		release_first(collector);
		if (collector->state != SEGMENT_COLLECTOR_RECORDING)
			set_state(collector, SEGMENT_COLLECTOR_RECORDING);
		return 0;
	}
	/* a child forked a moment ago, and a daemon's, is known to nobody yet */
	if (table_first_is_dead(watch))
		return newborn_find(watch) == 0;
	if (!collector->was_tried)
		store(collector);
	collector->was_tried = 1;
	return 0;
}

static void collect(struct collector *collector)
{
	struct watch *watch = &collector->watch;

	for (;;) {
		/* acquire: what was done before the ring is seen by the look after it */
		uint32_t bell =
			__atomic_load_n(&collector->shared->doorbell, __ATOMIC_ACQUIRE);

		uint64_t began_ns = ticks_monotonic_ns(), wait_ns;

		watch_update(watch);
		objects_update(&collector->answers, watch);
		sampling_update(&collector->sampling, &collector->rundir,
				&collector->run);
		outside_update(&collector->outside, watch, &collector->sampling);
		if (!collector->was_tried)
			pack_files(watch);
		ticks_renew(&collector->run, collector->shared);
		samples_write(&collector->samples, &collector->rundir, &watch->resources,
			      watch->deaths, watch->death_count);
		if (watch->is_blind) /* it would wait for us to see it exit */
			release_first(collector);
		if (table_first_is_exiting(watch) && look_at_end(collector))
			break;
		pause_when_busy(collector, began_ns);
		wait_ns = sampling_wait_ns(&collector->sampling,
					   outside_wait_ns(&collector->outside, WAIT_NS));
		wait_ns = intervals_update(&collector->intervals, watch, wait_ns);
		bell_wait(collector->shared, bell, wait_ns);
	}
	finish(collector);
}

/* 0, or -errno with a sentence in error. */
static int map_state(struct collector *collector, char *error, size_t error_size)
{
	struct segment_state *state = NULL;
	struct stat status;
	int fd = rundir_open_file(collector->rundir.fd, SEGMENT_STATE_NAME, O_RDWR);
	int result = fd < 0 ? fd : -EINVAL;

	if (fd >= 0 && fstat(fd, &status) == 0 &&
	    status.st_size >= (off_t)sizeof(*state)) {
		/* a program that cuts it short does not take us with it */
		state = shared_map(fd, 0, sizeof(*state), PROT_READ | PROT_WRITE);
		result = state ? 0 : -ENOMEM;
	}
	if (fd >= 0)
		close(fd);
	if (result < 0)
		snprintf(error, error_size, "cannot map %s/%s: %s",
			 collector->rundir.path, SEGMENT_STATE_NAME, strerror(-result));
	/* who maps a file of the run is taken for one of its processes: a child that
	 * walks stacks does not */
	if (state)
		(void)madvise(state, sizeof(*state), MADV_DONTFORK);
	collector->shared = state;
	return result;
}

/* Takes the run over: its lock, its facts, its shared state. 0, or -errno with a sentence
 * in error. */
static int take_run(struct collector *collector, const char *directory, char *error,
		    size_t error_size)
{
	int result = rundir_open(&collector->rundir, directory, error, error_size);

	if (result < 0)
		return result;
	collector->lock = rundir_lock(&collector->rundir);
	if (collector->lock < 0) {
		snprintf(error, error_size, "cannot lock %s: %s", directory,
			 collector->lock == -EAGAIN ? "somebody else has taken the run"
						    : strerror(-collector->lock));
		return collector->lock;
	}
	result = read_run_page(&collector->rundir, &collector->run, error, error_size);
	if (result == 0)
		result = map_state(collector, error, error_size);
	return result;
}

/* What the program was limited to, is not meant for us. */
static void lift_limits(void)
{
	static const int limits[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_CPU,
				     RLIMIT_DATA};
	sigset_t alarm_set;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)limits[i], &limit) == 0) {
			limit.rlim_cur = limit.rlim_max;
			setrlimit((__rlimit_resource_t)limits[i], &limit);
		}
	}
	/* the program may have begun us with it blocked */
	sigemptyset(&alarm_set);
	sigaddset(&alarm_set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_set, NULL);
	signal(SIGALRM, patience_ends); /* BSD's: interrupted calls go on */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

/* Descriptors 0 to 2 are the null device, but where there is none: something has to be
 * there, or a file of ours gets the number (SQLite refuses to work on them). */
static void fill_standard_descriptors(const char *directory)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			fd = open(directory, O_RDONLY | O_DIRECTORY);
	} while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

static int complain(const char *error)
{
	char plain[1024];

	fprintf(stderr, "profshim-collect: %s\n",
		plain_text_copy(plain, sizeof(plain), error));
	return 1;
}

/* The run is left to prof-analyze, and nobody waits for us. */
static int decline(struct collector *collector, const char *error)
{
	leave_reason(collector, error);
	release_first(collector);
	set_state(collector, SEGMENT_COLLECTOR_NONE);
	return complain(error);
}

OWN_PROGRAM_MARK;

int main(int argc, char **argv)
{
	static struct collector collector;
	char error[SEGMENT_PATH_MAX + 256] = "";
	int result;

	if (argc != 2 || argv[1][0] != '/') {
		fprintf(stderr,
			"usage: profshim-collect RUN_DIRECTORY\n"
			"Watches a run that libprofshim.so records into the spool "
			"RUN_DIRECTORY (an\nabsolute path) and writes run.db when it "
			"ends. Started by libprofshim.so.\n");
		return 2;
	}
	lift_limits();
	fill_standard_descriptors(argv[1]);
	if (take_run(&collector, argv[1], error, sizeof(error)) < 0)
		return complain(error);
	collector.shared->collector_pid = getpid();
	if (crowd_refuses(collector.run.first_pid, error, sizeof(error)))
		return decline(&collector, error);
	xalloc_before_end(out_of_memory, &collector);
	result = watch_init(&collector.watch, &collector.rundir, &collector.run,
			    collector.shared);
	if (result < 0) {
		snprintf(error, sizeof(error), "cannot watch the run: %s",
			 strerror(-result));
		return decline(&collector, error);
	}
	answers_begin(&collector.answers, collector.rundir.fd, &collector.run);
	intervals_init(&collector.intervals, &collector.run);
	outside_begin(&collector.outside);
	set_state(&collector, SEGMENT_COLLECTOR_RECORDING);
	collect(&collector);
	outside_end(&collector.outside);
	close(collector.lock); /* who sees us gone, sees the run abandoned */
	if (collector.is_stored && access(collector.run.output, F_OK) == 0)
		report_file_write(&collector.run, collector.run_id);
	if (gpu_is_open(&collector.watch.gpu))
		_exit(collector.is_stored ? 0 : 1);
	return collector.is_stored ? 0 : 1;
}
