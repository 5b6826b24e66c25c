/* SPDX-License-Identifier: MIT */
/* What stdio reads and writes inside of libc is known, from what is in its buffers: as many
 * bytes as the files have, on the calls that reached the kernel; those that did with the
 * buffer are no nodes. */
// flags: -fno-builtin
// variants: once
// expect-sql: SELECT operation, SUM(bytes) = $size, COUNT(DISTINCT i.name), SUM(calls) < 300
//     FROM io i WHERE file LIKE '%/text' AND bytes > 0 GROUP BY 1 ORDER BY 1 =>
//     close|0|1|1; read|1|4|1; write|0|5|1
// expect-sql: SELECT SUM(bytes) = $size FROM io WHERE file LIKE '%/text' AND (operation IN
//     ('write', 'close')) => 1
// expect-sql: SELECT SUM(bytes) = $small FROM io WHERE file LIKE '%/small' AND operation =
//     'write' => 1
// expect-sql: SELECT SUM(bytes) = $part FROM io WHERE file LIKE '%/small' AND operation =
//     'read' => 1
// expect-sql: SELECT SUM(calls) FROM io WHERE file LIKE '%/small' AND name = 'fputs' => 2
// expect-sql: SELECT SUM(calls), SUM(failed_calls) FROM io WHERE name = 'fopen' => 7|1
// expect-sql: SELECT SUM(bytes) FROM io WHERE file LIKE '%/odd' => 10
// expect-sql: SELECT name, SUM(bytes) FROM io WHERE file LIKE '%/left' AND bytes > 0 GROUP BY 1 => exit|7
// expect-sql: SELECT SUM(bytes) FROM io WHERE name = 'fflush' AND file LIKE '%/odd' => 5
// expect-trust: unseen_read_bytes => 0
// expect-trust: unseen_write_bytes => 0
// expect-trust: uncompared_processes => 0
// expect-trust: kernel_write_bytes => $written
// expect-sql: SELECT COUNT(*) FROM io WHERE kind = 'file' AND file NOT LIKE '%/text' AND file NOT LIKE '%/small'
//     AND file NOT LIKE '%/left' AND file NOT LIKE '%/odd' AND file <> '[paths]' => 0
// expect-trust: lost_transfers => 0
#include "truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES 2000

static char bytes[30000];
static volatile long sum;

ALONE static void write_text(void)
{
	FILE *file = fopen("text", "w");

	for (int i = 0; i < LINES; i++)
		fputs("hello world\n", file);
	for (int i = 0; i < LINES; i++)
		fprintf(file, "%d line\n", i);
	for (int i = 0; i < 3; i++)
		fprintf(file, "%5000d\n", i);
	for (int i = 0; i < 9000; i++)
		fputc('a', file);
	for (int i = 0; i < 9000; i++)
		putc_unlocked('b', file);
	fwrite(bytes, 100, 250, file);
	fwrite(bytes, 1, 3, file);
	fflush(file);
	fwrite(bytes, 7, 1, file);
	fclose(file);
}

ALONE static void read_text(void)
{
	FILE *file = fopen("text", "r");
	size_t size = 0;
	char *line = NULL;

	for (int i = 0; i < LINES; i++)
		sum += fgets(bytes, 100, file) != NULL;
	for (int i = 0; i < LINES; i++)
		sum += getline(&line, &size, file);
	for (int i = 0; i < 3; i++)
		sum += getline(&line, &size, file);
	for (int i = 0; i < 9000; i++)
		sum += fgetc(file);
	for (int i = 0; i < 9000; i++)
		sum += getc_unlocked(file);
	while (fread(bytes, 1000, 7, file) == 7)
		;
	sum += fread(bytes, 1, 1, file);
	free(line);
	fclose(file);
}

/* Each line goes out when it is complete, and what has no buffer at once. */
ALONE static void other_buffers(void)
{
	FILE *file = fopen("small", "w");

	setvbuf(file, NULL, _IOLBF, 0);
	fputs("one\n", file);
	fprintf(file, "%s\n", "two");
	fclose(file);
	file = fopen("small", "a+");
	setvbuf(file, NULL, _IONBF, 0);
	fputs("three\n", file);
	rewind(file);
	sum += fgetc(file) + fgetc(file);
	fclose(file);
}

/* Neither has a descriptor. */
ALONE static void none(void)
{
	FILE *file = fmemopen(bytes, sizeof(bytes), "w+");

	fputs("in memory", file);
	fflush(file);
	fclose(file);
	sum += fopen("nothing", "r") == NULL;
	file = fopen("odd", "w");
	fputs("later", file);
	fflush(NULL); /* of all streams */
	fputs("again", file);
	fclose(file);
}

int main(void)
{
	struct stat text, small;
	FILE *left;
	int length;

	write_text();
	read_text();
	other_buffers();
	none();
	stat("text", &text);
	stat("small", &small);
	unlink("text");
	unlink("small");
	unlink("odd");
	left = fopen("left", "w"); /* which exit() writes */
	fputs("at exit", left);
	unlink("left");
	length = snprintf(NULL, 0, "truth: size=%ld small=%ld part=2 written=%ld\n",
			  (long)text.st_size, (long)small.st_size, 100000L);
	fprintf(stderr, "truth: size=%ld small=%ld part=2 written=%ld\n",
		(long)text.st_size, (long)small.st_size,
		(long)text.st_size + (long)small.st_size + 10 + 7 + length);
	return 0;
}
