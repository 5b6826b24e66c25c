/* SPDX-License-Identifier: MIT */
/*
 * What this is:  files without a defect: small pieces through a stream, which libc gathers;
 *                messages on a pipe; a file that is opened a few times, and synced once.
 *                It lies in memory: a disk may take long for it, which is a wait to be told.
 */
#include "background.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static __attribute__((noinline)) void write_pieces(FILE *file)
{
	for (int i = 0; i < 50000; i++)
		fputs("piece\n", file);
}

static __attribute__((noinline)) long count_pieces(FILE *file)
{
	char line[16];
	long count = 0;

	while (fgets(line, sizeof(line), file))
		count++;
	return count;
}

static __attribute__((noinline)) void send_messages(const int *ends)
{
	char message = 'm';

	for (int i = 0; i < 5000; i++)
		if (write(ends[1], &message, 1) != 1 || read(ends[0], &message, 1) != 1)
			break;
}

int main(void)
{
	char name[] = "/dev/shm/pieces-XXXXXX";
	int descriptor = mkstemp(name), ends[2];
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	long count = 0;

	if (!file || pipe(ends) != 0)
		return 1;
	write_pieces(file);
	fflush(file);
	fsync(descriptor);
	fclose(file);
	for (int i = 0; i < 5; i++) {
		background(25, 50000);
		file = fopen(name, "r");
		if (!file)
			return 1;
		count += count_pieces(file);
		fclose(file);
	}
	send_messages(ends);
	return unlink(name) != 0 || count != 250000;
}
