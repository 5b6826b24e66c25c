/* SPDX-License-Identifier: MIT */
/* The kernel's count, and what of it is ours. */
#include "shim/core/own_io.h"

#include <fcntl.h>

#include "shim/core/process.h"

/* A forked child finds its parent's, which are of another process. */
static struct {
	int32_t pid;
	int is_wanted;
	struct own_io own;   /* before we began, and ours since */
	struct own_io ended; /* of threads */
} counted;

static void begin_process(void)
{
	if (process && counted.pid != process->pid) {
		counted.own = counted.ended = (struct own_io){0, 0};
		counted.pid = process->pid;
	}
}

static void add(struct own_io *to, uint64_t read_bytes, uint64_t write_bytes)
{
	__atomic_fetch_add(&to->read_bytes, read_bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&to->write_bytes, write_bytes, __ATOMIC_RELAXED);
}

void own_io_count(long bytes)
{
	begin_process();
	if (bytes > 0)
		add(&counted.own, (uint64_t)bytes, 0);
}

/* The number behind the next colon. */
static uint64_t next_number(const char *text, long length, long *at)
{
	uint64_t number = 0;

	while (*at < length && text[*at] != ':')
		++*at;
	for (*at += 2; *at < length && text[*at] >= '0' && text[*at] <= '9'; ++*at)
		number = number * 10 + (uint64_t)(text[*at] - '0');
	return number;
}

static void put_path(char path[48], int32_t tid)
{
	static const char before[] = "/proc/self/task/", after[] = "/io";
	char digits[12];
	uint32_t at = 0, count = 0;

	for (; at < sizeof(before) - 1; at++)
		path[at] = before[at];
	for (; tid; tid /= 10)
		digits[count++] = (char)('0' + tid % 10);
	while (count)
		path[at++] = digits[--count];
	for (uint32_t i = 0; i < sizeof(after); i++)
		path[at++] = after[i];
}

long own_io_read_file(const char *path, char *text, size_t size)
{
	long file = SYSCALL(SYS_open, path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0), length;

	if (file < 0)
		return file;
	length = own_io_pread(file, text, size, 0);
	SYSCALL(SYS_close, file, 0, 0, 0, 0, 0);
	return length;
}

uint64_t own_io_second_number(const char *path)
{
	char text[128];
	long length = own_io_read_file(path, text, sizeof(text)), at = 0;
	uint64_t number = 0;

	while (at < length && text[at] != ' ')
		at++;
	if (at + 1 >= length)
		return UINT64_MAX;
	for (at++; at < length && text[at] >= '0' && text[at] <= '9'; at++)
		number = number * 10 + (uint64_t)(text[at] - '0');
	return number;
}

/* The first two lines are "rchar: N" and "wchar: N". tid 0: the calling thread. Returns
 * how much was read for that, which is counted as ours, and not in what it tells; -1:
 * nothing to be had. */
static long ask_kernel(struct own_io *ret, int32_t tid)
{
	char path[48] = "/proc/thread-self/io", text[128];
	long length, at = 0;

	if (tid)
		put_path(path, tid);
	length = own_io_read_file(path, text, sizeof(text));
	if (length <= 0)
		return -1;
	ret->read_bytes = next_number(text, length, &at);
	ret->write_bytes = next_number(text, length, &at);
	return at < length ? length : -1;
}

void own_io_begin(void)
{
	struct own_io now;

	begin_process();
	counted.own = (struct own_io){0, 0};
	counted.is_wanted = 1;
	if (ask_kernel(&now, 0) >= 0)
		add(&counted.own, now.read_bytes, now.write_bytes);
}

void own_io_end_thread(void)
{
	struct own_io now;
	long length;

	begin_process();
	length = counted.is_wanted ? ask_kernel(&now, 0) : -1;
	if (length >= 0)
		add(&counted.ended, now.read_bytes + (uint64_t)length, now.write_bytes);
}

int own_io_add_thread(struct own_io *to, int32_t tid)
{
	struct own_io now;

	if (ask_kernel(&now, tid) < 0)
		return -1;
	to->read_bytes += now.read_bytes;
	to->write_bytes += now.write_bytes;
	return 0;
}

static void take(uint64_t *from, uint64_t part)
{
	*from -= part < *from ? part : *from;
}

int own_io_add_rest(struct own_io *to)
{
	struct own_io own;

	begin_process();
	own = counted.own; /* not with what is read now, which is not in the count yet */
	if (own_io_add_thread(to, 0) < 0)
		return -1;
	to->read_bytes += counted.ended.read_bytes;
	to->write_bytes += counted.ended.write_bytes;
	take(&to->read_bytes, own.read_bytes);
	take(&to->write_bytes, own.write_bytes);
	return 0;
}

/* Reading /proc/self/maps, a piece at a time. */

#define PIECE_BYTES 1024
#define LINE_BYTES 640 /* 73 before the path */

static char *read_number(char *text, uint64_t *ret)
{
	*ret = 0;
	for (;; text++) {
		if (*text >= '0' && *text <= '9')
			*ret = *ret << 4 | (uint64_t)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			*ret = *ret << 4 | (uint64_t)(*text - 'a' + 10);
		else
			return text;
	}
}

static char *skip_word(char *text)
{
	while (*text && *text != ' ')
		text++;
	return text;
}

static char *skip_blanks(char *text)
{
	while (*text == ' ')
		text++;
	return text;
}

/* "START-END rwxp OFFSET DEVICE INODE   PATH". */
static int show(char *text, int is_cut, maps_look *look, void *data)
{
	struct maps_line line = {.is_cut = is_cut};
	char *at = read_number(text, &line.low);

	if (*at != '-')
		return 0;
	at = skip_blanks(read_number(at + 1, &line.high));
	at = read_number(skip_blanks(skip_word(at)), &line.offset);
	line.file = skip_blanks(at);
	at = skip_word(skip_blanks(skip_word(skip_blanks(at))));
	line.file_length = (uint32_t)(at - line.file);
	line.path = skip_blanks(at);
	return look(data, &line);
}

int maps_each(maps_look *look, void *data)
{
	char piece[PIECE_BYTES], text[LINE_BYTES];
	long fd = SYSCALL(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	long got = 0;
	int result = 0;
	uint32_t used = 0;

	if (fd < 0)
		return (int)fd;
	while (!result && (got = own_io_read(fd, piece, sizeof(piece))) > 0) {
		for (long i = 0; i < got && !result; i++) {
			if (piece[i] != '\n') {
				if (used < LINE_BYTES - 1)
					text[used++] = piece[i];
				continue;
			}
			text[used] = '\0';
			result = show(text, used == LINE_BYTES - 1, look, data);
			used = 0;
		}
	}
	SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
	return got < 0 ? (int)got : result;
}
