/* SPDX-License-Identifier: MIT */
/*
 * The run: joined or begun; its facts, its shared state and this image's segment file.
 * Runs on: the constructor. Must not keep a descriptor after run_settle().
 */
#include "shim/boot/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "shim/boot/calibrate.h"
#include "shim/core/clock.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"
#include "shim/image/spool.h"

#define SLOT_BYTES (256ull << 20)
#define SMALL_SLOT_BYTES (16ull << 20)

extern void *__libc_stack_end; /* ld.so's: where the first thread began */

static struct spool spool = {.fd = -1}; /* held until run_settle() */
static struct segment_run facts;	/* process_facts.run */

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

/* Reads a small text file without its final newline. 0, or -errno; "" then. */
static int read_line(const char *path, char *text, size_t size)
{
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return -errno;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

/* Reserves the first bytes of a fresh shared mapping of fd. */
static int reserve(int fd, void *start, uint64_t size)
{
	if (madvise(start, size, 23 /* MADV_POPULATE_WRITE */) == 0)
		return 0;
	if (errno != EINVAL)
		return errno == EFAULT ? -ENOSPC : -errno;
	return -posix_fallocate(fd, 0, (off_t)size);
}

/* A sparse file of the run that is to be created and mapped. */
struct new_file {
	const char *name;
	uint64_t file_size, map_size;
	uint64_t reserved_size; /* so much of it can be touched */
};

static int map_new_file(int fd, const struct new_file *file, void **ret)
{
	void *mapped;
	int result;

	if (ftruncate(fd, (off_t)file->file_size) < 0)
		return -errno;
	mapped = mmap(NULL, file->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	madvise(mapped, file->map_size, MADV_RANDOM); /* see process_map_slots() */
	result = reserve(fd, mapped, file->reserved_size);
	if (result < 0) {
		munmap(mapped, file->map_size);
		return result;
	}
	own_memory_add(mapped, file->map_size);
	*ret = mapped;
	return 0;
}

/* 0 or -errno; nothing is left then. */
static int create_mapped(const struct new_file *file, void **ret)
{
	int fd = spool_create_file(&spool, file->name), result;

	if (fd < 0)
		return fd;
	result = map_new_file(fd, file, ret);
	close(fd);
	if (result < 0)
		spool_remove_file(&spool, file->name);
	return result;
}

/* The TSC only where the kernel itself trusts it. */
static void choose_clock(void)
{
	char name[32];

	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  name, sizeof(name));
	clock_is_tsc = strcmp(name, "tsc") == 0;
}

static void fill_run(struct segment_run *run, const struct config *config, uint64_t token)
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
	run->follow = (uint32_t)config->follow;
	run->snapshot_every_ms = config->snapshot_every_ms;
	run->report = config->report;
	run->path_limit = config->path_limit;
	run->stack_depth_limit = config->stack_depth_limit;
	read_line("/proc/sys/kernel/random/boot_id", run->boot_id, sizeof(run->boot_id));
	snprintf(run->level, sizeof(run->level), "exact");
	snprintf(run->shim_version, sizeof(run->shim_version), "%s", PROFSHIM_VERSION);
	run->job = config->job;
	snprintf(run->label, sizeof(run->label), "%s", config->label);
	if (uname(&system) == 0)
		snprintf(run->host, sizeof(run->host), "%s", system.nodename);
	snprintf(run->setting_ignored, sizeof(run->setting_ignored), "%s",
		 config->ignored);
	if (!getcwd(run->cwd, sizeof(run->cwd)))
		run->cwd[0] = '\0';
}

/* The output's path made absolute. 0, or -errno. */
static int absolute_output(const char *output, char *path, size_t size)
{
	char cwd[SEGMENT_PATH_MAX];
	int length;

	if (output[0] == '/') {
		length = snprintf(path, size, "%s", output);
	} else {
		if (!getcwd(cwd, sizeof(cwd)))
			return -errno;
		length = snprintf(path, size, "%s/%s", cwd[1] ? cwd : "", output);
	}
	/* room for the names below the spool */
	return length < 0 || (size_t)length + 64 > size ? -ENAMETOOLONG : 0;
}

/* A limit on file size or address space asks for a smaller file and smaller slots. Below
 * what even those need: the name of the limit, NULL otherwise. */
static const char *choose_size(uint64_t *ret_slot_size, uint64_t *ret_slot_limit)
{
	struct rlimit file_size, address_space;
	uint64_t slot = SLOT_BYTES, limit = SEGMENT_SLOT_LIMIT;

	if (getrlimit(RLIMIT_AS, &address_space) == 0 &&
	    address_space.rlim_cur != RLIM_INFINITY) {
		if (address_space.rlim_cur < 1ull << 30)
			return "the limit on address space (ulimit -v) is below 1 GiB";
		slot = SMALL_SLOT_BYTES;
		limit = 16;
	}
	if (getrlimit(RLIMIT_FSIZE, &file_size) == 0 &&
	    file_size.rlim_cur / slot < limit) {
		slot = SMALL_SLOT_BYTES;
		limit = file_size.rlim_cur / slot;
		if (limit > 64)
			limit = 64;
	}
	if (limit < 3) /* header, process, one lane */
		return "the limit on file size (ulimit -f) is below 48 MiB";
	*ret_slot_size = slot;
	*ret_slot_limit = limit;
	return NULL;
}

/* The page that the run's processes share. 0 or -errno. */
static int create_state(const struct config *config)
{
	const struct new_file file = {SEGMENT_STATE_NAME, sizeof(struct segment_state),
				      sizeof(struct segment_state),
				      sizeof(struct segment_state)};
	struct segment_state *state = NULL;
	int result = create_mapped(&file, (void **)&state);

	if (result < 0)
		return result;
	state->magic = SEGMENT_MAGIC_STATE;
	state->token = facts.token;
	state->collector_state = SEGMENT_COLLECTOR_NONE;
	state->notes = config->ignored[0] ? SEGMENT_NOTE_SETTING_IGNORED : 0;
	clock_read_both(&state->last_ticks, &state->last_monotonic_ns);
	process_facts.state = state;
	return 0;
}

static int write_facts(void)
{
	int fd = spool_create_file(&spool, SEGMENT_RUN_NAME);
	ssize_t written;
	int result = 0;

	if (fd < 0)
		return fd;
	written = write(fd, &facts, sizeof(facts));
	if (written != (ssize_t)sizeof(facts))
		result = written < 0 ? -errno : -ENOSPC;
	close(fd);
	return result;
}

/* The facts come last: with them the directory is a run. */
static int write_run(const struct config *config, char *error, size_t error_size)
{
	int result;

	result = spool_make(&spool, facts.output, facts.token, error, error_size);
	if (result < 0)
		return result;
	result = create_state(config);
	if (result == 0) {
		calibrate_hooks(&facts);
		result = write_facts();
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
	uint64_t token, slot_size, slot_limit;
	const char *too_low = choose_size(&slot_size, &slot_limit);
	int result;

	if (too_low) { /* before any write can raise SIGXFSZ */
		snprintf(error, error_size, "%s", too_low);
		return -EFBIG;
	}
	result = absolute_output(config->output, facts.output, sizeof(facts.output));
	if (result < 0) {
		snprintf(error, error_size, "cannot record into %s: %s", config->output,
			 strerror(-result));
		return result;
	}
	if (getrandom(&token, sizeof(token), GRND_NONBLOCK) != sizeof(token))
		token = clock_now() * 0x9e3779b97f4a7c15ull ^ (uint64_t)getpid();
	fill_run(&facts, config, token);
	result = write_run(config, error, error_size);
	if (result == 0)
		process_facts.run = &facts;
	return result;
}

/* 0, or -errno: not a run of this version. */
static int read_facts(void)
{
	int fd = spool_open_file(&spool, SEGMENT_RUN_NAME, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = read(fd, &facts, sizeof(facts));
	close(fd);
	if (got != (ssize_t)sizeof(facts) || facts.magic != SEGMENT_MAGIC_RUN)
		return -EINVAL;
	return facts.version == SEGMENT_VERSION && facts.size == sizeof(facts) ? 0
									       : -ESTALE;
}

static int map_state(void)
{
	struct segment_state *state = MAP_FAILED;
	int fd = spool_open_file(&spool, SEGMENT_STATE_NAME, O_RDWR);

	if (fd < 0)
		return fd;
	if (lseek(fd, 0, SEEK_END) >= (off_t)sizeof(*state))
		state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     0);
	close(fd);
	if (state == MAP_FAILED)
		return -EINVAL;
	own_memory_add(state, sizeof(*state));
	if (state->magic != SEGMENT_MAGIC_STATE ||
	    (facts.first_pid != getpid() &&
	     state->collector_state == SEGMENT_COLLECTOR_FINISHED)) {
		process_unmap(state, sizeof(*state));
		return -ESTALE;
	}
	process_facts.state = state;
	return 0;
}

/* 0 when PROFSHIM_RUN named a run that still records. One of another user is out of
 * reach: what lies there could be changed under us. */
static int join_run(const char *joined)
{
	int result;

	if (strlen(joined) + 64 > sizeof(spool.path))
		return -ENAMETOOLONG;
	result = spool_open(&spool, joined);
	if (result < 0)
		return result;
	result = read_facts();
	if (result == 0)
		result = map_state();
	if (result < 0) {
		run_settle();
		return result;
	}
	clock_is_tsc = facts.clock_kind == SEGMENT_CLOCK_TSC;
	process_facts.run = &facts;
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
		result = join_run(config->joined_run);
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

/* Field 22 of /proc/self/stat. */
static uint64_t read_start_time(void)
{
	char text[1024], *at;

	if (read_line("/proc/self/stat", text, sizeof(text)) < 0)
		return 0;
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void fill_process(struct segment_process *segment, const struct config *config)
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	ssize_t length;
	int fd;

	segment->start_time = read_start_time();
	segment->job = config->job;
	length = readlink("/proc/self/exe", segment->executable,
			  sizeof(segment->executable) - 1);
	segment->executable[length > 0 ? length : 0] = '\0';
	if (length <= 0 && name) /* no /proc: what exec was told */
		absolute_output(name, segment->executable, sizeof(segment->executable));
	fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	length = read(fd, segment->command, sizeof(segment->command));
	close(fd);
	segment->command_size = length > 0 ? (uint32_t)length : 0;
}

/* The first thread's stack may grow down to its limit. */
static void note_main_stack(void)
{
	uint64_t size = 8ull << 20, largest = 1ull << 30;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur > size)
		size = limit.rlim_cur < largest ? limit.rlim_cur : largest;
	process_facts.main_stack_high = ((uintptr_t)__libc_stack_end | 4095) + 1;
	process_facts.main_stack_low = process_facts.main_stack_high - size;
}

/* A file of its own for this image: PID-N.segment. Some file systems refuse files of
 * terabytes. 0 or -errno. */
static int create_segment_file(uint64_t *slot_limit, uint64_t slot_size,
			       struct segment_file **ret)
{
	char *path = process_file_path;
	int result = -EEXIST;

	for (int i = 1; result == -EEXIST && i < 1000; i++) {
		struct new_file file = {NULL, *slot_limit * slot_size, slot_size, 4096};

		snprintf(path, sizeof(process_file_path),
			 "%.*s/%d-%d" SEGMENT_FILE_SUFFIX, SEGMENT_PATH_MAX - 64,
			 spool.path, (int)getpid(), i);
		file.name = strrchr(path, '/') + 1;
		result = create_mapped(&file, (void **)ret);
		if (result == -EFBIG && *slot_limit > 64) {
			*slot_limit = 64;
			result = -EEXIST;
		}
	}
	return result;
}

int run_create_segment(const struct config *config, char *error, size_t error_size)
{
	uint64_t slot_size = 0, slot_limit = 0;
	struct segment_file *file = NULL;
	struct process *state;
	const char *too_low = choose_size(&slot_size, &slot_limit);
	int result;

	if (too_low) {
		snprintf(error, error_size, "%s", too_low);
		return -EFBIG;
	}
	state = process_map(4096, 0);
	if (!state) {
		snprintf(error, error_size, "no memory for the recorder's state");
		return -ENOMEM;
	}
	if (madvise(state, 4096, MADV_WIPEONFORK) < 0) {
		snprintf(error, error_size, "the kernel refuses MADV_WIPEONFORK: %s",
			 strerror(errno));
		process_unmap(state, 4096);
		return -ENOTSUP;
	}
	result = create_segment_file(&slot_limit, slot_size, &file);
	if (result < 0)
		goto failed;
	file->version = SEGMENT_VERSION;
	file->slot_limit = (uint32_t)slot_limit;
	file->slot_size = slot_size;
	file->slot_count = 1;
	file->token = process_facts.run->token;
	process_facts.file = file;
	process_facts.owner = (uint32_t)SYSCALL(SYS_geteuid, 0, 0, 0, 0, 0, 0);
	note_main_stack();
	result = process_begin(state, 0);
	if (result < 0)
		goto failed;
	fill_process(state->segment, config);
	/* release: a file with its magic is whole */
	__atomic_store_n(&file->magic, SEGMENT_MAGIC_FILE, __ATOMIC_RELEASE);
	process_publish_slot(state->slot, SEGMENT_SLOT_PROCESS, state->slot, state->pid);
	state->ready = 1;
	/* release: whoever sees the pointer sees the state */
	__atomic_store_n(&process, state, __ATOMIC_RELEASE);
	return 0;

failed:
	snprintf(error, error_size, "cannot write %.*s: %s", SEGMENT_PATH_MAX - 64,
		 process_file_path, strerror(-result));
	if (file) {
		process_unmap(file, slot_size);
		spool_remove_file(&spool, strrchr(process_file_path, '/') + 1);
	}
	process_facts.file = NULL;
	process_unmap(state, 4096);
	return result;
}
