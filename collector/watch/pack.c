/* SPDX-License-Identifier: MIT */
/*
 * A file that nobody writes any more: all its processes are over, and no process has it
 * open or mapped, whatever we know of it. The kernel says so: it gives a lease for
 * reading to nobody while there is a writer.
 */
#include "collector/watch/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/processes/ticks.h"
#include "collector/read/ended.h"
#include "common/base/xalloc.h"

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
	struct ended_place place = {.name_hash = ended_hash(name)};
	struct sparse image = {.flat = NULL};

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
	sparse_done(&image);
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

	return left->since_ns < right->since_ns ? -1 : left->since_ns > right->since_ns;
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
	struct over *over;
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
	free(over);
}
