/* SPDX-License-Identifier: MIT */
/* The segment file of this image, and who the process is. */
#include "shim/boot/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shim/boot/facts.h"
#include "shim/boot/new_file.h"
#include "shim/core/process.h"

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
