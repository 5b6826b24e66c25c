/* SPDX-License-Identifier: MIT */
/*
 * The run: joined or begun; its facts and its shared state.
 * Runs on: the constructor. Must not keep a descriptor after run_settle().
 */
#include "shim/boot/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "shim/core/clock.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"
#include "shim/patch/text.h"
#include "shim/image/image.h"

static struct spool spool = {.fd = -1}; /* held until run_settle() */

const char *run_directory(void)
{
	return spool.path;
}

void run_abandon(void)
{
	spool_abandon(&spool);
}

void run_settle(void)
{
	spool_close(&spool);
}

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The TSC only where the kernel itself trusts it. */
static void choose_clock(void)
{
	char name[32];

	facts_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		   name, sizeof(name));
	clock_is_tsc = clock_has_tsc_ticks = strcmp(name, "tsc") == 0;
	clock_comes_first = clock_is_tsc && !text_is_closed;
	clock_comes_at_entry = clock_is_tsc != 0;
}

/* What is so, beside what the user wants. */
static void fill_run(struct segment_run *run, const struct segment_job *job,
		     uint64_t token)
{
	struct utsname system;

	run->magic = SEGMENT_MAGIC_RUN;
	run->version = SEGMENT_VERSION;
	run->size = sizeof(*run);
	run->token = token;
	run->first_pid = getpid();
	run->clock_kind = clock_is_tsc ? SEGMENT_CLOCK_TSC : SEGMENT_CLOCK_MONOTONIC;
	clock_read_both(&run->start_ticks, &run->start_monotonic_ns);
	run->start_realtime_ns = realtime_ns();
	run->ticks_per_second = clock_is_tsc ? 0 : 1e9;
	run->cpu_count = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	run->is_sandboxed = prctl(PR_GET_SECCOMP) != 0;
	facts_line("/proc/sys/kernel/random/boot_id", run->boot_id, sizeof(run->boot_id));
	snprintf(run->shim_version, sizeof(run->shim_version), "%s", PROFSHIM_VERSION);
	run->job = *job;
	if (uname(&system) == 0)
		snprintf(run->host, sizeof(run->host), "%s", system.nodename);
	if (!getcwd(run->cwd, sizeof(run->cwd)))
		run->cwd[0] = '\0';
}

/* The page that the run's processes share. 0 or -errno. */
static int create_state(const struct segment_run *run)
{
	const struct new_file file = {SEGMENT_STATE_NAME, sizeof(struct segment_state),
				      sizeof(struct segment_state),
				      sizeof(struct segment_state)};
	struct segment_state *state = NULL;
	int result = new_file_map(&spool, &file, (void **)&state);

	if (result < 0)
		return result;
	state->magic = SEGMENT_MAGIC_STATE;
	state->token = run->token;
	state->collector_state = SEGMENT_COLLECTOR_NONE;
	state->notes = run->setting_ignored[0] ? SEGMENT_NOTE_SETTING_IGNORED : 0;
	clock_read_both(&state->last_ticks, &state->last_monotonic_ns);
	process_facts.state = state;
	return 0;
}

static int write_facts(const struct segment_run *run)
{
	int fd = spool_create_file(&spool, SEGMENT_RUN_NAME);
	ssize_t written;
	int result = 0;

	if (fd < 0)
		return fd;
	written = write(fd, run, sizeof(*run));
	if (written != (ssize_t)sizeof(*run))
		result = written < 0 ? -errno : -ENOSPC;
	close(fd);
	return result;
}

/* The facts come last: with them the directory is a run. */
static int write_run(struct segment_run *run, char *error, size_t error_size)
{
	int result;

	result = spool_make(&spool, run->output, run->token, error, error_size);
	if (result < 0)
		return result;
	result = create_state(run);
	if (result == 0)
		result = control_file_create(&spool, run->token);
	if (result == 0) {
		calibrate_hooks(run);
		result = write_facts(run);
	}
	if (result < 0) {
		snprintf(error, error_size, "cannot write into %.*s: %s",
			 SEGMENT_PATH_MAX - 64, spool.path, strerror(-result));
		run_abandon();
	}
	return result;
}

static int begin_run(const struct config *config, char *error, size_t error_size)
{
	struct segment_run *run = config->run;
	uint64_t token, slot_size, slot_limit;
	const char *too_low = new_file_sizes(&slot_size, &slot_limit);
	int result;

	if (too_low) { /* before any write can raise SIGXFSZ */
		snprintf(error, error_size, "%s", too_low);
		return -EFBIG;
	}
	result = facts_absolute(config->output, run->output, sizeof(run->output));
	if (result < 0) {
		snprintf(error, error_size, "cannot record into %s: %s", config->output,
			 strerror(-result));
		return result;
	}
	if (getrandom(&token, sizeof(token), GRND_NONBLOCK) != sizeof(token))
		token = clock_now() * 0x9e3779b97f4a7c15ull ^ (uint64_t)getpid();
	fill_run(run, &config->job, token);
	result = write_run(run, error, error_size);
	if (result == 0)
		process_facts.run = run;
	return result;
}

/* 0, or -errno: not a run of this version. */
static int read_facts(struct segment_run *facts)
{
	int fd = spool_open_file(&spool, SEGMENT_RUN_NAME, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = read(fd, facts, sizeof(*facts));
	close(fd);
	if (got != (ssize_t)sizeof(*facts) || facts->magic != SEGMENT_MAGIC_RUN)
		return -EINVAL;
	return facts->version == SEGMENT_VERSION && facts->size == sizeof(*facts)
		       ? 0
		       : -ESTALE;
}

static int map_state(const struct segment_run *facts)
{
	void *mapped;
	int result =
		run_file_map(&spool, SEGMENT_STATE_NAME, sizeof(struct segment_state),
			     PROT_READ | PROT_WRITE, &mapped);
	struct segment_state *state = mapped;

	if (result < 0)
		return result;
	if (state->magic != SEGMENT_MAGIC_STATE ||
	    (facts->first_pid != getpid() &&
	     state->collector_state == SEGMENT_COLLECTOR_FINISHED)) {
		process_unmap(state, sizeof(*state));
		return -ESTALE;
	}
	process_facts.state = state;
	return 0;
}

/* 0 when PROFSHIM_RUN named a run that still records. One of another user is out of
 * reach: what lies there could be changed under us. */
static int join_run(const char *joined, struct segment_run *run)
{
	struct segment_run facts;
	int result;

	if (strlen(joined) + 64 > sizeof(spool.path))
		return -ENAMETOOLONG;
	result = spool_open(&spool, joined);
	if (result < 0)
		return result;
	result = read_facts(&facts);
	if (result == 0)
		result = map_state(&facts);
	if (result == 0)
		result = control_file_map(&spool, facts.token);
	if (result < 0) {
		run_settle();
		return result;
	}
	clock_is_tsc = clock_has_tsc_ticks = facts.clock_kind == SEGMENT_CLOCK_TSC;
	clock_comes_first = clock_is_tsc && !text_is_closed;
	clock_comes_at_entry = clock_is_tsc != 0;
	*run = facts;
	process_facts.run = run;
	return 0;
}

/* The run that PROFSHIM_RUN names is over, and a new one is what LD_PRELOAD asks for.
 * Otherwise it is out of reach, in another root or of another user: to begin a run there
 * would leave files where the program does not expect them. */
static int is_over(const char *joined, int join_result)
{
	char path[SEGMENT_PATH_MAX];
	char *slash;

	if (join_result == -ESTALE || join_result == -EINVAL)
		return 1;
	if (join_result != -ENOENT || strlen(joined) >= sizeof(path))
		return 0;
	strcpy(path, joined);
	for (int i = 0; i < 2; i++) { /* without the run, and the spool */
		slash = strrchr(path, '/');
		if (!slash)
			return 1;
		*slash = '\0';
	}
	return access(path[0] ? path : "/", F_OK) == 0;
}

int run_open(const struct config *config, int *ret_first, char *error, size_t error_size)
{
	int result = -ENOENT;

	*ret_first = 0;
	error[0] = '\0';
	if (config->joined_run) {
		result = join_run(config->joined_run, config->run);
		if (result < 0 &&
		    (config->joins_only || !is_over(config->joined_run, result)))
			return result;
	}
	if (result < 0) {
		choose_clock();
		result = begin_run(config, error, error_size);
		if (result < 0)
			return result;
		*ret_first = 1;
	}
	process_facts.path_limit = process_facts.run->path_limit;
	process_facts.stack_depth_limit = process_facts.run->stack_depth_limit;
	return 0;
}

int run_create_segment(const struct config *config, char *error, size_t error_size)
{
	return image_file_begin(config, &spool, error, error_size);
}
