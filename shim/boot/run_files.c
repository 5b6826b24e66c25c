/* SPDX-License-Identifier: MIT */
/* The files of a run, created and mapped. Must not keep a mapping of the control file
 * that could be made writable: the process may become somebody else. */
#include "shim/boot/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/segment.h"
#include "common/segment_control.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"

int facts_line(const char *path, char *text, size_t size)
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

int facts_absolute(const char *output, char *path, size_t size)
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

#define SLOT_BYTES (256ull << 20)
#define SMALL_SLOT_BYTES (16ull << 20)

/* Reserves the first bytes of a fresh shared mapping of fd. */
static int reserve(int fd, void *start, uint64_t size)
{
	if (madvise(start, size, 23 /* MADV_POPULATE_WRITE */) == 0)
		return 0;
	if (errno != EINVAL)
		return errno == EFAULT ? -ENOSPC : -errno;
	return -posix_fallocate(fd, 0, (off_t)size);
}

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

int new_file_map(const struct spool *spool, const struct new_file *file, void **ret)
{
	int fd = spool_create_file(spool, file->name), result;

	if (fd < 0)
		return fd;
	result = map_new_file(fd, file, ret);
	close(fd);
	if (result < 0)
		spool_remove_file(spool, file->name);
	return result;
}

const char *new_file_sizes(uint64_t *ret_slot_size, uint64_t *ret_slot_limit)
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

/* The header's page gets its memory here, the rest from who writes it. */
static int write_header(int fd, uint64_t token)
{
	uint64_t page[offsetof(struct segment_control, answers) / sizeof(uint64_t)] = {
		SEGMENT_MAGIC_CONTROL, token};
	ssize_t written;

	if (ftruncate(fd, (off_t)sizeof(struct segment_control)) < 0)
		return -errno;
	written = pwrite(fd, page, sizeof(page), 0);
	if (written == (ssize_t)sizeof(page))
		return 0;
	return written < 0 ? -errno : -ENOSPC;
}

int run_file_map(const struct spool *spool, const char *name, size_t size, int protection,
		 void **ret)
{
	int fd =
		spool_open_file(spool, name, protection & PROT_WRITE ? O_RDWR : O_RDONLY);

	*ret = MAP_FAILED;
	if (fd < 0)
		return fd;
	if (lseek(fd, 0, SEEK_END) >= (off_t)size)
		*ret = mmap(NULL, size, protection, MAP_SHARED, fd, 0);
	close(fd);
	if (*ret == MAP_FAILED)
		return -EINVAL;
	own_memory_add(*ret, size);
	return 0;
}

int control_file_create(const struct spool *spool, uint64_t token)
{
	int fd = spool_create_file(spool, SEGMENT_CONTROL_NAME), result;

	if (fd < 0)
		return fd;
	result = write_header(fd, token);
	close(fd);
	if (result == 0)
		result = control_file_map(spool, token);
	return result;
}

int control_file_map(const struct spool *spool, uint64_t token)
{
	void *mapped;
	int result = run_file_map(spool, SEGMENT_CONTROL_NAME,
				  sizeof(struct segment_control), PROT_READ, &mapped);
	struct segment_control *control = mapped;

	if (result < 0)
		return result;
	if (control->magic != SEGMENT_MAGIC_CONTROL || control->token != token) {
		process_unmap(control, sizeof(*control));
		return -ESTALE;
	}
	process_facts.control = control;
	return 0;
}

extern void *__libc_stack_end; /* ld.so's: where the first thread began */

/* Field 22 of /proc/self/stat. */
static uint64_t read_start_time(void)
{
	char text[1024], *at;

	if (facts_line("/proc/self/stat", text, sizeof(text)) < 0)
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
		facts_absolute(name, segment->executable, sizeof(segment->executable));
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
static int create_file(const struct spool *spool, uint64_t *slot_limit,
		       uint64_t slot_size, struct segment_file **ret)
{
	char *path = process_file_path;
	int result = -EEXIST;

	for (int i = 1; result == -EEXIST && i < 1000; i++) {
		struct new_file file = {NULL, *slot_limit * slot_size, slot_size, 4096};

		snprintf(path, sizeof(process_file_path),
			 "%.*s/%d-%d" SEGMENT_FILE_SUFFIX, SEGMENT_PATH_MAX - 64,
			 spool->path, (int)getpid(), i);
		file.name = strrchr(path, '/') + 1;
		result = new_file_map(spool, &file, (void **)ret);
		if (result == -EFBIG && *slot_limit > 64) {
			*slot_limit = 64;
			result = -EEXIST;
		}
	}
	return result;
}

int image_file_begin(const struct config *config, const struct spool *spool, char *error,
		     size_t error_size)
{
	uint64_t slot_size = 0, slot_limit = 0;
	struct segment_file *file = NULL;
	struct process *state;
	const char *too_low = new_file_sizes(&slot_size, &slot_limit);
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
	result = create_file(spool, &slot_limit, slot_size, &file);
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
		spool_remove_file(spool, strrchr(process_file_path, '/') + 1);
	}
	process_facts.file = NULL;
	process_unmap(state, 4096);
	return result;
}
