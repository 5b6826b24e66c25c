/* SPDX-License-Identifier: MIT */
/*
 * What this is:  copies of the files of a removed spool.
 * Runs on:       the collector's main thread.
 * Must not:      read holes: the files are sparse and terabytes long.
 * See also:      shim/collector/rescue.h
 *
 * The processes of the run and the collector have the removed files mapped or open, so
 * nothing is lost yet. The copies are made when the processes have ended (or exit), so
 * nobody has to be told of them.
 */
#include "shim/collector/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/collector/spool.h"

static int is_removed(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

static int copy_stored(int to, int from)
{
	off_t start = lseek(from, 0, SEEK_DATA), end;

	for (; start >= 0; start = lseek(from, end, SEEK_DATA)) {
		end = lseek(from, start, SEEK_HOLE);
		if (end < 0 || lseek(to, start, SEEK_SET) < 0)
			return -errno;
		while (start < end) {
			ssize_t done = sendfile(to, from, &start, (size_t)(end - start));

			if (done <= 0)
				return done < 0 ? -errno : -EIO;
		}
	}
	return errno == ENXIO ? 0 : -errno;
}

static int copy_file(const struct watch *watch, const struct watch_file *file)
{
	int to, result;

	if (file->reader.fd < 0)
		return -EBADF;
	to = openat(watch->directory_fd, file->name,
		    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	result = ftruncate(to, (off_t)file->reader.size) < 0 ? -errno : 0;
	if (result == 0)
		result = copy_stored(to, file->reader.fd);
	close(to);
	return result;
}

static int make_directories(const char *directory)
{
	char spool[SEGMENT_PATH_MAX], *slash;

	snprintf(spool, sizeof(spool), "%s", directory);
	slash = strrchr(spool, '/');
	if (!slash)
		return -EINVAL;
	*slash = 0;
	if ((mkdir(spool, 0700) < 0 && errno != EEXIST) ||
	    (mkdir(directory, 0700) < 0 && errno != EEXIST))
		return -errno;
	return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int write_page(const struct watch *watch)
{
	int fd = openat(watch->directory_fd, SEGMENT_RUN_NAME,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ssize_t size;

	if (fd < 0)
		return -errno;
	size = write(fd, watch->page, sizeof(*watch->page));
	close(fd);
	return size == (ssize_t)sizeof(*watch->page) ? 0 : -EIO;
}

int rescue_spool(struct watch *watch)
{
	int fd, result;

	if (!is_removed(watch->directory_fd))
		return 0;
	fd = make_directories(watch->directory);
	if (fd < 0)
		return fd;
	close(watch->directory_fd);
	watch->directory_fd = fd;
	for (size_t i = 0; i < watch->file_count; i++) {
		result = copy_file(watch, &watch->files[i]);
		if (result < 0)
			watch->page->lost_process_count++;
	}
	/* last: with it the directory is a run */
	result = write_page(watch);
	if (result == 0)
		result = spool_lock(watch->directory);
	return result < 0 ? result : 1;
}
