/* SPDX-License-Identifier: MIT */
/*
 * From the PID of a running process to the segment file among its mappings, to its slot
 * there, and to a snapshot. Must not trust the maps file, whose names the process has
 * chosen, or unchecked parts of the segment file.
 *
 * The path is walked from the root of the process, which may be a container's, one name
 * at a time and without links. A process that has changed its root shows the whole path,
 * which is then walked from our own root.
 */
#include "collector/live/attach.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/live/snapshot.h"
#include "collector/processes/ticks.h"
#include "collector/read/facts.h"
#include "collector/read/segment_file.h"
#include "common/base/xalloc.h"
#include "common/segment.h"

#define MAPPINGS_MOST 200000 /* three times the kernel's default limit */
#define TOKEN_DIGITS 16
#define LINE_ROOM (SEGMENT_PATH_MAX * 4 + 128)

struct owners {
	uid_t real, effective, saved;
};

__attribute__((format(printf, 4, 5))) static int
fail(int result, char *error, size_t error_size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error, error_size, format, arguments);
	va_end(arguments);
	return result;
}

static FILE *open_proc(int proc_fd, const char *name)
{
	int fd = openat(proc_fd, name, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

/* Reads the process's users and its pid in its own PID namespace: the last of those
 * listed, and the one in the segment file. */
static int read_status(int proc_fd, struct owners *ret, int32_t *number)
{
	FILE *file = open_proc(proc_fd, "status");
	int found = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		const char *last = strrchr(line, '\t');

		if (sscanf(line, "Uid: %u %u %u", &ret->real, &ret->effective,
			   &ret->saved) == 3)
			found = 1;
		else if (!strncmp(line, "NSpid:", 6) && last)
			*number = (int32_t)strtol(last + 1, NULL, 10);
	}
	if (file)
		fclose(file);
	return found ? 0 : -ESRCH;
}

/* Undoes the kernel's escape of a newline in a name: \012. */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; from++) {
		if (!strncmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* Is it .../SOMETHING-spool/TOKEN/SOMETHING.segment? Cuts it after the token. */
static int is_segment_path(char *path, struct attach_files *files)
{
	static const char spool[] = SEGMENT_SPOOL_SUFFIX "/";
	char *name = strrchr(path, '/'), *token = name;
	size_t length = name ? strlen(name + 1) : 0, suffix = strlen(SEGMENT_FILE_SUFFIX);

	if (length <= suffix || length >= sizeof(files->name) ||
	    strcmp(name + 1 + length - suffix, SEGMENT_FILE_SUFFIX) != 0 ||
	    (size_t)(name - path) < TOKEN_DIGITS + strlen(spool))
		return 0;
	token -= TOKEN_DIGITS;
	if (strncmp(token - strlen(spool), spool, strlen(spool)) != 0)
		return 0;
	for (const char *digit = token; digit < name; digit++)
		if (!isxdigit((unsigned char)*digit))
			return 0;
	*name = '\0';
	files->token = strtoull(token, NULL, 16);
	memcpy(files->name, name + 1, length + 1);
	return 1;
}

/* The path in a line of maps; NULL: none, or cut off by our buffer. */
static char *path_in(char *line, FILE *file)
{
	char *end = strchr(line, '\n'), *path = strchr(line, '/');

	if (!end) {
		int next;

		do
			next = getc(file);
		while (next != EOF && next != '\n');
		return NULL;
	}
	*end = '\0';
	if (path)
		unescape(path);
	return path;
}

/* Finds the directory of the segment file; its name and token go into files. */
static int find_path(struct attach_files *files, int pid, char **ret, char *error,
		     size_t error_size)
{
	FILE *file = open_proc(files->proc_fd, "maps");
	int result = file ? -ENOENT : -errno;
	char *line;

	if (!file)
		return fail(result, error, error_size, "cannot look at process %d: %s",
			    pid, strerror(-result));
	line = xmalloc(LINE_ROOM);
	for (int i = 0; i < MAPPINGS_MOST && result < 0; i++) {
		char *path;

		if (!fgets(line, LINE_ROOM, file))
			break;
		path = path_in(line, file);
		if (path && is_segment_path(path, files)) {
			memmove(line, path, strlen(path) + 1);
			result = 0;
		}
	}
	fclose(file);
	if (result == 0) {
		*ret = line;
		return 0;
	}
	free(line);
	return fail(result, error, error_size, "process %d is not being recorded", pid);
}

/* Opens a directory by its path below start; closes start. */
static int walk(int start, char *path)
{
	int fd = start;

	for (char *name = path, *rest; fd >= 0 && (name = strtok_r(name, "/", &rest));
	     name = NULL) {
		int next =
			openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (next < 0)
			next = -errno;
		close(fd);
		fd = next;
	}
	return fd;
}

static int open_directory(int proc_fd, const char *path)
{
	static const char *const roots[] = {"root", "/"};
	int fd = -ENOENT;

	for (size_t i = 0; i < 2 && (fd == -ENOENT || fd == -ENOTDIR); i++) {
		char *copy = xstrdup(path);
		int root = openat(proc_fd, roots[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		fd = root < 0 ? -errno : walk(root, copy);
		free(copy);
	}
	return fd;
}

/* Does the file belong to us or, for root, to a user of the process? */
static int is_allowed(const struct stat *status, const struct owners *process)
{
	uid_t owner = status->st_uid;

	if (owner == geteuid())
		return 1;
	return geteuid() == 0 && (owner == process->real || owner == process->effective ||
				  owner == process->saved);
}

static int check_owner(int fd, const struct owners *process, int pid, char *error,
		       size_t error_size)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return fail(-errno, error, error_size,
			    "cannot look at the recording of process %d: %s", pid,
			    strerror(errno));
	if (!is_allowed(&status, process))
		return fail(-EPERM, error, error_size,
			    "the recording of process %d belongs to user %u, who is "
			    "neither you nor the user of the process: it is left alone",
			    pid, status.st_uid);
	if (!S_ISDIR(status.st_mode) &&
	    (!S_ISREG(status.st_mode) || status.st_nlink != 1))
		return fail(-EINVAL, error, error_size,
			    "the recording of process %d is no plain file: it is left "
			    "alone",
			    pid);
	return 0;
}

static int open_files(struct attach_files *files, int pid, const char *path,
		      const struct owners *process, char *error, size_t error_size)
{
	int result;

	files->directory_fd = open_directory(files->proc_fd, path);
	files->fd = files->directory_fd < 0
			    ? -1
			    : openat(files->directory_fd, files->name,
				     O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (files->fd < 0) {
		result = files->directory_fd < 0 ? files->directory_fd : -errno;
		return fail(result, error, error_size,
			    "cannot open the recording of process %d: %s", pid,
			    strerror(-result));
	}
	result = check_owner(files->directory_fd, process, pid, error, error_size);
	if (result == 0)
		result = check_owner(files->fd, process, pid, error, error_size);
	return result;
}

int attach_open(struct attach_files *ret, int pid, char *error, size_t error_size)
{
	struct owners owners = {0, 0, 0};
	char name[32], *path = NULL;
	int result;

	*ret = (struct attach_files){-1, -1, -1, .inner_pid = pid};
	snprintf(name, sizeof(name), "/proc/%d", pid);
	ret->proc_fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->proc_fd < 0 || read_status(ret->proc_fd, &owners, &ret->inner_pid) < 0)
		return fail(-ESRCH, error, error_size, "there is no process %d", pid);
	result = find_path(ret, pid, &path, error, error_size);
	if (result == 0)
		result = open_files(ret, pid, path, &owners, error, error_size);
	free(path);
	return result;
}

void attach_close(struct attach_files *files)
{
	int *const all[] = {&files->fd, &files->directory_fd, &files->proc_fd};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

static uint32_t find_slot(const struct segment_reader *reader, int pid)
{
	uint64_t start_ticks = 0;
	uint32_t found = 0;

	for (uint32_t i = 1; i < reader->slot_count; i++) {
		struct segment_process process;
		struct segment_slot slot;

		if (segment_reader_slot(reader, i, &slot) < 0 ||
		    slot.kind != SEGMENT_SLOT_PROCESS || slot.pid != pid ||
		    segment_reader_bytes(reader, i, 0, &process, sizeof(process)) < 0 ||
		    process.magic != SEGMENT_MAGIC_PROCESS ||
		    process.start_ticks < start_ticks)
			continue;
		start_ticks = process.start_ticks;
		found = i;
	}
	return found;
}

/* Finds the slot of the process, the youngest if its pid was used before; *ret 0: none.
 * 0, or -EINVAL: the file is damaged. */
static int attach_slot(const struct attach_files *files, uint32_t *ret)
{
	struct segment_reader reader;
	int result = segment_reader_open(&reader, files->directory_fd, files->name,
					 files->token);

	if (result < 0)
		return result;
	*ret = find_slot(&reader, files->inner_pid);
	segment_reader_close(&reader);
	return 0;
}

#define WAIT_MS 250u /* to wait for another snapshot */

/* Limits retries, as the process may take its own snapshots all the time. */
#define TRIES 20

static int take(int pid, const struct attach_files *files, uint32_t slot,
		const struct segment_run *page, const char *label, uint32_t *ret_number,
		char *error, size_t error_size)
{
	struct live_snapshot_memory memory = {.count = 0};
	struct ticks ticks;
	int result = -EAGAIN;

	ticks_calibrate(&ticks, page, NULL);
	for (int i = 0; i < TRIES && result == -EAGAIN; i++) {
		result = live_snapshot_take(files->fd, slot, label,
					    SEGMENT_SNAPSHOT_COMMAND, WAIT_MS,
					    ticks_now(&ticks), &memory, ret_number);
		live_snapshot_forget(&memory);
	}
	switch (result) {
	case 0:
		return 0;
	case -EBUSY:
		return fail(result, error, error_size,
			    "another snapshot of process %d does not come to an end",
			    pid);
	case -EAGAIN:
		return fail(result, error, error_size,
			    "process %d takes snapshots of its own all the time", pid);
	case -EINVAL:
		return fail(result, error, error_size,
			    "the recording of process %d is damaged", pid);
	case -EIO:
		return fail(result, error, error_size,
			    "the recording of process %d was cut short, or its disk is "
			    "full",
			    pid);
	default:
		return fail(result, error, error_size,
			    "cannot take a snapshot of process %d: %s", pid,
			    strerror(-result));
	}
}

static int take_in_file(int pid, const struct attach_files *files,
			const struct segment_run *page, const char *label,
			uint32_t *ret_number, char *error, size_t error_size)
{
	uint32_t slot = 0;

	if (page->token != files->token || attach_slot(files, &slot) < 0)
		return fail(-EINVAL, error, error_size,
			    "the recording of process %d is damaged", pid);
	if (!slot)
		return fail(-ENOENT, error, error_size,
			    "process %d has not been recorded so far", pid);
	return take(pid, files, slot, page, label, ret_number, error, error_size);
}

int attach_snapshot(int pid, const char *label, uint32_t *ret_number, char *error,
		    size_t error_size)
{
	auto_free struct segment_run *page = xmalloc(sizeof(*page));
	struct rundir rundir = RUNDIR_NONE;
	ended_by(attach_close) struct attach_files files;
	int result;

	result = attach_open(&files, pid, error, error_size);
	snprintf(rundir.path, sizeof(rundir.path), "the recording of process %d", pid);
	rundir.fd = files.directory_fd;
	if (result == 0)
		result = read_run_page(&rundir, page, error, error_size);
	if (result == 0)
		result = take_in_file(pid, &files, page, label, ret_number, error,
				      error_size);
	return result;
}
