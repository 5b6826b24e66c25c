/* SPDX-License-Identifier: MIT */
/* What this is:  a program that leaves a child behind. usage: orphan MARKER PIPE. It waits
 *                for a writer of the pipe. */
#include "../programs/truth.h"
#include <fcntl.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

int main(int argc, char **argv)
{
	int i, marker;

	if (argc < 3)
		return 2;
	for (i = 0; i < 100; i++)
		step();
	if (fork())
		return 0;
	for (i = 0; i < 3; i++)
		close(i);
	close(open(argv[2], O_RDONLY)); /* a pipe: until somebody writes to it */
	for (i = 0; i < 200; i++)
		step();
	marker = open(argv[1], O_WRONLY | O_CREAT, 0600);
	return write(marker, "done", 4) == 4 ? 0 : 1;
}
