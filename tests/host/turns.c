/* SPDX-License-Identifier: MIT */
/*
 * What this is:  writes down when it ran; fails or sleeps when it is its turn.
 *                usage: turns LOG NAME [fail|kill|sleep TURN]
 * Runs on:       tests, in a series.
 * See also:      tests/host/series.py
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILED_STATUS 7

static int count_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	int lines = 0, c;

	while (file && (c = getc(file)) != EOF)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static void write_line(const char *path, const char *name)
{
	const char *level = getenv("PROFSHIM_LEVEL");
	FILE *file = fopen(path, "ae");

	if (!file)
		exit(1);
	fprintf(file, "%s %s\n", name, level ? level : "-");
	fclose(file);
}

static void copy_input(void)
{
	int c;

	while ((c = getchar()) != EOF)
		putchar(c);
}

int main(int argc, char **argv)
{
	int turn = count_lines(argv[1]) + 1;

	copy_input();
	write_line(argv[1], argv[2]);
	if (argc < 5 || atoi(argv[4]) != turn)
		return 0;
	if (strcmp(argv[3], "fail") == 0)
		return FAILED_STATUS;
	if (strcmp(argv[3], "kill") == 0)
		raise(SIGUSR1);
	sleep(60);
	return 0;
}
