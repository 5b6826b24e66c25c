/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the power goes at each write: what of runs and spool is on the disk
 * then? Runs on:       tests. See also:      collector/store/store.h
 *
 * All calls that change files below one directory are recorded, SQLite's and ours: this
 * program's definitions of them stand before those of the C library. Then a disk is put
 * together for every moment: what was synced is there; of what was not, each write and
 * each change of a directory is there or not or (a write) half there, as a coin falls.
 * Changes of directories happen in their order, so a coin says up to where. On that disk
 * the run has to be in run.db, or in the spool and run.db fit to take it; the runs of
 * before have to be there in any case.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/ingest/ingest.h"
#include "collector/read/rundir.h"
#include "collector/store/store.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define COINS 4 /* disks for each moment */

enum kind { WRITE, TRUNCATE, SYNC, NAME, UNNAME, SYNC_NAMES };

struct event {
	enum kind kind;
	ino_t inode;
	char name[64]; /* in run.db's directory; "spool" stands for the run page */
	off_t offset;
	size_t size;
	uint8_t *data;
};

static struct event *events;
static size_t event_count, event_room;
static int is_recording;
static char parent[128];
static dev_t spool_device;
static ino_t parent_inode, spool_inode;

static struct event *add(enum kind kind, ino_t inode)
{
	if (event_count == event_room) {
		event_room = event_room ? 2 * event_room : 256;
		events = realloc(events, event_room * sizeof(*events));
	}
	events[event_count] = (struct event){.kind = kind, .inode = inode};
	return &events[event_count++];
}

static ino_t inode_of(int fd, mode_t *ret_mode)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || status.st_dev != spool_device)
		return 0;
	*ret_mode = status.st_mode;
	return status.st_ino;
}

static void record_write(int fd, const void *data, size_t size, off_t offset)
{
	mode_t mode = 0;
	ino_t inode = is_recording ? inode_of(fd, &mode) : 0;
	struct event *event;

	if (!inode || !S_ISREG(mode))
		return;
	event = add(WRITE, inode);
	event->offset = offset;
	event->size = size;
	event->data = malloc(size);
	memcpy(event->data, data, size);
}

/* With large files these are what pwrite() and ftruncate() are called by all. */
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	record_write(fd, data, size, offset);
	return syscall(SYS_pwrite64, fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
	if (is_recording)
		record_write(fd, data, size, lseek(fd, 0, SEEK_CUR));
	return syscall(SYS_write, fd, data, size);
}

static int record_truncate(int fd, off_t size)
{
	mode_t mode = 0;
	ino_t inode = is_recording ? inode_of(fd, &mode) : 0;

	if (inode)
		add(TRUNCATE, inode)->offset = size;
	return (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off64_t size)
{
	return record_truncate(fd, size);
}

static int record_sync(int fd, long number)
{
	mode_t mode = 0;
	ino_t inode = is_recording ? inode_of(fd, &mode) : 0;

	if (inode)
		add(S_ISDIR(mode) ? SYNC_NAMES : SYNC, inode);
	return is_recording ? (int)syscall(number, fd) : 0;
}

int fsync(int fd)
{
	return record_sync(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return record_sync(fd, SYS_fdatasync);
}

/* A name in the directory of run.db came or went, or the run page went. */
static void record_name(enum kind kind, int directory, const char *name)
{
	mode_t mode = 0;
	ino_t inode = is_recording ? inode_of(directory, &mode) : 0;
	struct stat status;
	struct event *event;

	if (inode == spool_inode && kind == UNNAME && strcmp(name, "run") == 0)
		name = "spool";
	else if (!inode || inode != parent_inode)
		return;
	if (kind == NAME && fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	event = add(kind, kind == NAME ? status.st_ino : 0);
	snprintf(event->name, sizeof(event->name), "%.60s", name);
}

int unlinkat(int directory, const char *name, int flags)
{
	record_name(UNNAME, directory, name);
	return (int)syscall(SYS_unlinkat, directory, name, flags);
}

int openat(int directory, const char *name, int flags, ...)
{
	int mode = 0, fd, is_new;
	va_list arguments;

	va_start(arguments, flags);
	if (flags & O_CREAT)
		mode = va_arg(arguments, int);
	va_end(arguments);
	is_new = is_recording && (flags & O_CREAT) &&
		 faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
	fd = (int)syscall(SYS_openat, directory, name, flags, mode);
	if (fd >= 0 && is_new)
		record_name(NAME, directory, name);
	return fd;
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
	int result = (int)syscall(SYS_renameat2, from, old, to, new, flags);

	if (result == 0) {
		record_name(UNNAME, from, old);
		record_name(NAME, to, new);
	}
	return result;
}

/* ---------------------------------------------------------------- the disk afterwards */

struct disk_file {
	ino_t inode;
	uint8_t *data;
	size_t size;
};

struct disk {
	struct disk_file files[64];
	size_t file_count;
	struct {
		char name[64];
		ino_t inode;
	} names[64];
	size_t name_count;
	int has_spool;
};

static struct disk before; /* as it was when recording began, all of it synced */
static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static unsigned coin(unsigned sides)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 33) % sides;
}

static struct disk_file *find_file(struct disk *disk, ino_t inode)
{
	for (size_t i = 0; i < disk->file_count; i++) {
		if (disk->files[i].inode == inode)
			return &disk->files[i];
	}
	assert_true(disk->file_count < 64);
	disk->files[disk->file_count] =
		(struct disk_file){.inode = inode, .data = calloc(1, 1)};
	return &disk->files[disk->file_count++];
}

static void set_size(struct disk_file *file, size_t size)
{
	file->data = realloc(file->data, size + 1);
	if (size > file->size)
		memset(file->data + file->size, 0, size - file->size);
	file->size = size;
}

static void unname(struct disk *disk, const char *name)
{
	for (size_t i = 0; i < disk->name_count; i++) {
		if (strcmp(disk->names[i].name, name) == 0)
			disk->names[i--] = disk->names[--disk->name_count];
	}
	if (strcmp(name, "spool") == 0)
		disk->has_spool = 0;
}

static void apply(struct disk *disk, const struct event *event, size_t size)
{
	struct disk_file *file;

	switch (event->kind) {
	case WRITE:
		file = find_file(disk, event->inode);
		if ((size_t)event->offset + size > file->size)
			set_size(file, (size_t)event->offset + size);
		memcpy(file->data + event->offset, event->data, size);
		break;
	case TRUNCATE:
		set_size(find_file(disk, event->inode), (size_t)event->offset);
		break;
	case NAME:
		unname(disk, event->name);
		assert_true(disk->name_count < 64);
		snprintf(disk->names[disk->name_count].name, 64, "%s", event->name);
		disk->names[disk->name_count++].inode = event->inode;
		break;
	case UNNAME:
		unname(disk, event->name);
		break;
	default:
		break;
	}
}

/* The spool is a directory of its own, whose changes know no order with ours. */
static int is_of_spool(const struct event *event)
{
	return event->kind == UNNAME && strcmp(event->name, "spool") == 0;
}

static int is_name(const struct event *event)
{
	return event->kind == NAME || event->kind == UNNAME;
}

/* Is the event on the disk for certain when the power goes before event `moment`? */
static int is_synced(size_t index, size_t moment)
{
	const struct event *event = &events[index];
	enum kind wanted = is_name(event) ? SYNC_NAMES : SYNC;

	for (size_t i = index + 1; i < moment; i++) {
		if (events[i].kind == wanted &&
		    (is_name(event) || events[i].inode == event->inode))
			return 1;
	}
	return 0;
}

static void copy_disk(struct disk *to, const struct disk *from)
{
	*to = *from;
	for (size_t i = 0; i < from->file_count; i++) {
		to->files[i].data = malloc(from->files[i].size + 1);
		memcpy(to->files[i].data, from->files[i].data, from->files[i].size);
	}
}

/* all: nothing is lost, the power went but the disk had been quick. */
static void cut_power(size_t moment, int all, struct disk *ret)
{
	size_t names_kept = 0;

	copy_disk(ret, &before);
	for (size_t i = 0; i < moment; i++) /* directories change in order */
		names_kept += is_name(&events[i]) && !is_of_spool(&events[i]) &&
			      !is_synced(i, moment);
	names_kept = all ? names_kept : coin((unsigned)names_kept + 1);
	for (size_t i = 0; i < moment; i++) {
		const struct event *event = &events[i];
		size_t size = event->size;

		if (is_of_spool(event)) {
			if (!all && coin(2))
				continue;
		} else if (is_name(event) && !is_synced(i, moment)) {
			if (!names_kept)
				continue;
			names_kept--;
		} else if (!is_name(event) && !all && !is_synced(i, moment)) {
			if (coin(2))
				continue;
			if (event->kind == WRITE && size > 512 && coin(3) == 0)
				size = 512 * (size_t)coin((unsigned)(size / 512));
		}
		apply(ret, event, size);
	}
}

static void free_disk(struct disk *disk)
{
	for (size_t i = 0; i < disk->file_count; i++)
		free(disk->files[i].data);
}

static char after[160]; /* the directory in which disks are looked at */

static void write_disk(const struct disk *disk)
{
	for (size_t i = 0; i < disk->name_count; i++) {
		char path[256];
		struct disk_file *file =
			find_file((struct disk *)disk, disk->names[i].inode);
		FILE *out;

		snprintf(path, sizeof(path), "%s/%s", after, disk->names[i].name);
		out = fopen(path, "we");
		assert_non_null(out);
		assert_int_equal(fwrite(file->data, 1, file->size, out), file->size);
		fclose(out);
	}
}

static void clear_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(directory), entry->d_name, 0);
	}
	closedir(directory);
}

/* ---------------------------------------------------------------- runs */

struct fixture {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	struct make_lane lane;
};

static struct ingest *load(struct fixture *f, uint64_t token)
{
	static const struct ingest_watch nothing;
	struct ingest *ingest = calloc(1, sizeof(*ingest));
	char error[512] = "";

	f->run.page->token = f->run.state->token = f->file.file->token = token;
	if (ingest_load(ingest, &f->run.rundir, &nothing, error, sizeof(error)) < 0)
		fail_msg("%s", error);
	return ingest;
}

static void unload(struct ingest *ingest)
{
	ingest_done(ingest);
	free(ingest);
}

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct stat status;
	uint32_t slot, node;

	make_run(&f->run, MAKE_TOKEN);
	make_file(&f->file, &f->run, "100-1");
	f->process = make_process(&f->file, 100, MAKE_START, MAKE_START + 5000, &slot);
	make_lane(&f->lane, &f->file, f->process, slot);
	node = make_call(&f->lane, 1, 0x1000, 1, 1000);
	for (int i = 0; i < 40; i++)
		node = make_call(&f->lane, node, 0x2000 + (uint64_t)i * 16, 5, 500);
	snprintf(parent, sizeof(parent), "%.*s",
		 (int)(strrchr(f->run.output, '/') - f->run.output), f->run.output);
	assert_int_equal(stat(parent, &status), 0);
	parent_inode = status.st_ino;
	spool_device = status.st_dev;
	assert_int_equal(stat(f->run.directory, &status), 0);
	spool_inode = status.st_ino;
	snprintf(after, sizeof(after), "%s/after", parent);
	assert_int_equal(mkdir(after, 0700), 0);
	*state = f;
	return 0;
}

static int finish(void **state)
{
	struct fixture *f = *state;

	is_recording = 0;
	clear_directory(after);
	rmdir(after);
	for (size_t i = 0; i < event_count; i++)
		free(events[i].data);
	event_count = 0;
	free_disk(&before);
	before = (struct disk){.has_spool = 0};
	make_file_free(&f->file);
	make_run_free(&f->run);
	free(f);
	return 0;
}

/* Everything of now is on the disk. */
static void begin_recording(const struct fixture *f)
{
	struct stat status;
	FILE *stream;

	before = (struct disk){.has_spool = 1};
	if (stat(f->run.output, &status) == 0) {
		struct disk_file *file = find_file(&before, status.st_ino);

		set_size(file, (size_t)status.st_size);
		stream = fopen(f->run.output, "rbe");
		assert_non_null(stream);
		assert_int_equal(fread(file->data, 1, file->size, stream), file->size);
		fclose(stream);
		snprintf(before.names[0].name, 64, "run.db");
		before.names[0].inode = status.st_ino;
		before.name_count = 1;
	}
	is_recording = 1;
}

static int has_run(struct sqlite3 *db, uint64_t token)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM run WHERE token = '%016llx'",
		 (unsigned long long)token);
	return (int)check_int(db, sql);
}

/* Is the disk one that nobody is unhappy with? */
static void judge(const struct disk *disk, size_t moment, const struct ingest *ingest,
		  uint64_t earlier, uint64_t token)
{
	char path[256], error[512] = "";
	struct sqlite3 *db;
	int is_there;

	clear_directory(after);
	write_disk(disk);
	snprintf(path, sizeof(path), "%s/run.db", after);
	if (disk->has_spool &&
	    store_run(path, ingest, NULL, NULL, error, sizeof(error)) < 0)
		fail_msg("power cut at %zu: the spool cannot be stored: %s", moment,
			 error);
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL),
			 SQLITE_OK);
	check_rows(db, "PRAGMA integrity_check", "ok");
	is_there = has_run(db, token);
	if (!is_there || (earlier && !has_run(db, earlier)))
		fail_msg("power cut at %zu: a run is lost", moment);
	check_rows(db, "SELECT DISTINCT COUNT(*) FROM path GROUP BY run_id", "41");
	sqlite3_close(db);
}

static void cut_everywhere(const struct ingest *ingest, uint64_t earlier, uint64_t token)
{
	size_t moments = event_count;

	is_recording = 0;
	assert_true(moments > 5);
	for (size_t moment = 0; moment <= moments; moment++) {
		for (int i = 0; i < COINS; i++) {
			struct disk disk;

			cut_power(moment, i == 0, &disk);
			judge(&disk, moment, ingest, earlier, token);
			free_disk(&disk);
		}
	}
}

/* Stores as a collector does: the spool goes when that has succeeded. */
static void store_and_remove(struct fixture *f, const struct ingest *ingest)
{
	char error[512] = "";

	begin_recording(f);
	if (store_run(f->run.output, ingest, NULL, NULL, error, sizeof(error)) < 0)
		fail_msg("%s", error);
	rundir_remove(&f->run.rundir);
	is_recording = 0;
}

TEST_FIXTURE(first_run, begin, finish)
{
	struct ingest *ingest = load(f, 1);

	store_and_remove(f, ingest);
	cut_everywhere(ingest, 0, 1);
	unload(ingest);
}

TEST_FIXTURE(later_run, begin, finish)
{
	struct ingest *ingest = load(f, 1);
	char error[512] = "";

	if (store_run(f->run.output, ingest, NULL, NULL, error, sizeof(error)) < 0)
		fail_msg("%s", error);
	unload(ingest);
	ingest = load(f, 2);
	store_and_remove(f, ingest);
	cut_everywhere(ingest, 1, 2);
	unload(ingest);
}

TEST_FIXTURE(run_stored_again, begin, finish)
{
	struct ingest *ingest = load(f, 1);
	char error[512] = "";

	if (store_run(f->run.output, ingest, NULL, NULL, error, sizeof(error)) < 0)
		fail_msg("%s", error);
	store_and_remove(f, ingest);
	cut_everywhere(ingest, 0, 1);
	unload(ingest);
}
