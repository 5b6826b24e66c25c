/* SPDX-License-Identifier: MIT */
/*
 * Copies of the files of a removed spool. Must not read holes: the files are sparse and
 * terabytes long.
 *
 * The processes of the run and the collector have the removed files mapped or open, so
 * nothing is lost yet. The copies are made when the processes have ended (or exit), so
 * nobody has to be told of them.
 */
#include "collector/watch/removed_spool.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/read/rundir.h"

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
	to = rundir_create_file(watch->rundir->fd, file->name);
	if (to < 0)
		return to;
	result = ftruncate(to, (off_t)file->reader.size) < 0 ? -errno : 0;
	if (result == 0)
		result = copy_stored(to, file->reader.fd);
	close(to);
	return result;
}

/* Of the images that have ended. */
static int copy_ended(const struct watch *watch)
{
	int to, result;

	if (watch->ended.fd < 0)
		return 0;
	to = rundir_create_file(watch->rundir->fd, ENDED_NAME);
	if (to < 0)
		return to;
	result = copy_stored(to, watch->ended.fd);
	close(to);
	return result;
}

static int write_file(const struct rundir *rundir, const char *name, const void *data,
		      size_t size)
{
	int fd = rundir_create_file(rundir->fd, name);
	ssize_t written;

	if (fd < 0)
		return fd;
	written = write(fd, data, size);
	close(fd);
	return written == (ssize_t)size ? 0 : -EIO;
}

int removed_spool_restore(struct watch *watch)
{
	struct segment_state state = *watch->bell.shared;
	int result;

	if (!is_removed(watch->rundir->fd))
		return 0;
	result = rundir_renew(watch->rundir);
	if (result < 0)
		return result;
	for (size_t i = 0; i < watch->file_count; i++) {
		if (watch->files[i].name && copy_file(watch, &watch->files[i]) < 0)
			state.lost_process_count++;
	}
	if (copy_ended(watch) < 0)
		state.lost_process_count++;
	result = write_file(watch->rundir, SEGMENT_STATE_NAME, &state, sizeof(state));
	/* last: with it the directory is a run */
	if (result == 0)
		result = write_file(watch->rundir, SEGMENT_RUN_NAME, watch->run,
				    sizeof(*watch->run));
	if (result == 0)
		result = rundir_lock(watch->rundir);
	return result < 0 ? result : 1;
}
