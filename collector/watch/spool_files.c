/* SPDX-License-Identifier: MIT */
/*
 * The run's files: those of images that have ended are packed into one, and those of
 * a spool that somebody removed are made again. Must not touch a file that anybody
 * can still write, or read holes: the files are sparse and terabytes long.
 */
#include "collector/watch/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/processes/ticks.h"
#include "collector/read/ended.h"
#include "collector/read/rundir.h"
#include "common/base/xalloc.h"
#include "common/base/map.h"

/* Files of images that have ended and stay as they are: the latest. */
#define PACK_LEFT_MOST 64u
/* Packed at a time, at least. */
#define PACK_BATCH 16u

/* A file that cannot be packed now is asked after again then. */
#define AGAIN_NS 1000000000ull

/* Has nobody else the file open for writing, or mapped? */
static int is_unwritten(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
		return 0;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return 1;
}

/* The start of the image's own process, which is in slot 1; 0: it is not there. */
static uint64_t start_of(const struct sparse *image, uint64_t token)
{
	struct segment_process header = {.magic = 0};
	struct segment_reader reader;

	if (segment_reader_open_image(&reader, image, token) < 0 ||
	    segment_reader_bytes(&reader, 1, 0, &header, sizeof(header)) < 0 ||
	    header.magic != SEGMENT_MAGIC_PROCESS)
		return 0;
	return header.start_ticks;
}

static int pack(struct watch *watch, const char *name)
{
	int fd = rundir_open_file(watch->rundir->fd, name, O_RDONLY), result = -EBUSY;
	struct ended_place place = {.name_hash = hash_text(name)};
	ended_by(sparse_done) struct sparse image = {.flat = NULL};

	if (fd < 0)
		return fd;
	if (is_unwritten(fd))
		result = sparse_take(&image, fd);
	close(fd);
	if (result == 0) {
		place.start_ticks = start_of(&image, watch->run->token);
		result = place.start_ticks
				 ? ended_append(&watch->ended, watch->rundir->fd, &place,
						&image)
				 : -EINVAL;
	}
	if (result == 0 && unlinkat(watch->rundir->fd, name, 0) < 0)
		result = -errno;
	if (result == 0) /* else its file is read at the end */
		read_keep(&watch->kept, &image, &place);
	return result;
}

static void forget(struct watch *watch, size_t index)
{
	struct watch_file *file = &watch->files[index];

	segment_reader_close(&file->reader);
	free(file->name);
	free(file->pids);
	*file = (struct watch_file){.reader.fd = -1};
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *process = &watch->processes[i];

		if (process->file == index && process->death.pid &&
		    !process->is_other_user &&
		    process->death.pid != watch->run->first_pid)
			table_free(watch, i);
	}
}

static int can_be_packed(const struct watch_file *file, uint64_t now_ns)
{
	return file->name && !file->alive_count && file->slot_count > 1 &&
	       file->pack_ns <= now_ns;
}

struct over {
	size_t file;
	uint64_t since_ns;
};

static int by_age(const void *a, const void *b)
{
	const struct over *left = a, *right = b;

	return ORDER_BY(left, right, since_ns);
}

static void pack_oldest(struct watch *watch, struct over *over, size_t count,
			uint64_t now_ns)
{
	qsort(over, count, sizeof(*over), by_age);
	for (size_t i = 0; i + PACK_LEFT_MOST < count; i++) {
		if (pack(watch, watch->files[over[i].file].name) == 0)
			forget(watch, over[i].file);
		else
			watch->files[over[i].file].pack_ns = now_ns + AGAIN_NS;
	}
	table_list_files(watch);
}

void pack_files(struct watch *watch)
{
	uint64_t now_ns = ticks_monotonic_ns();
	auto_free struct over *over = NULL;
	size_t count = 0;

	if (watch->file_count < PACK_LEFT_MOST + PACK_BATCH)
		return;
	over = xcalloc(watch->file_count, sizeof(*over));
	for (size_t i = 0; i < watch->file_count; i++) {
		if (can_be_packed(&watch->files[i], now_ns))
			over[count++] = (struct over){i, watch->files[i].over_ns};
	}
	if (count >= PACK_LEFT_MOST + PACK_BATCH)
		pack_oldest(watch, over, count, now_ns);
}

/*
 * Copies of the files of a removed spool. Must not read holes: the files are sparse and
 * terabytes long.
 *
 * The processes of the run and the collector have the removed files mapped or open, so
 * nothing is lost yet. The copies are made when the processes have ended (or exit), so
 * nobody has to be told of them.
 */

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

/* size: of the copy, where it ends in a hole. */
static int copy_file(const struct watch *watch, const char *name, int from, uint64_t size)
{
	int to, result;

	if (from < 0)
		return -EBADF;
	to = rundir_create_file(watch->rundir->fd, name);
	if (to < 0)
		return to;
	result = ftruncate(to, (off_t)size) < 0 ? -errno : copy_stored(to, from);
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
		const struct watch_file *file = &watch->files[i];

		if (file->name &&
		    copy_file(watch, file->name, file->reader.fd, file->reader.size) < 0)
			state.lost_process_count++;
	}
	if (watch->ended.fd >= 0 &&
	    copy_file(watch, ENDED_NAME, watch->ended.fd, watch->ended.size) < 0)
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
