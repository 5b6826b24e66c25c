/* SPDX-License-Identifier: MIT */
/* Reading /proc/self/maps, a piece at a time. */
#include "shim/core/maps.h"

#include <fcntl.h>

#include "shim/core/own_io.h"

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
