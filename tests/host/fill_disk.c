/* SPDX-License-Identifier: MIT */
/* What this is:  a program that fills the disk and then makes 50,000 new call paths. */
#include "../programs/truth.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void grow(unsigned path, unsigned levels);

ALONE static void left(unsigned path, unsigned levels)
{
	grow(path, levels);
}

ALONE static void right(unsigned path, unsigned levels)
{
	grow(path, levels);
}

/* Every path number takes another way through left and right. */
ALONE static void grow(unsigned path, unsigned levels)
{
	sum++;
	if (levels == 0)
		return;
	if (path & 1)
		left(path >> 1, levels - 1);
	else
		right(path >> 1, levels - 1);
}

int main(int argc, char **argv)
{
	static char zeros[1 << 16];
	unsigned i;
	int file;

	for (i = 0; i < 1000; i++)
		step();
	file = open(argc > 1 ? argv[1] : "/nonexistent", O_WRONLY | O_CREAT, 0600);
	if (file < 0)
		return 1;
	while (write(file, zeros, sizeof(zeros)) > 0)
		;
	while (write(file, zeros, 512) > 0)
		;
	close(file);
	for (i = 0; i < 2500; i++)
		grow(i, 19);
	for (i = 0; i < 1000; i++)
		step();
	puts("done");
	return 0;
}
