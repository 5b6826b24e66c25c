/* SPDX-License-Identifier: MIT */
/* What this is:  a program that fills the disk and then makes 50,000 new call paths. */
#include "growing.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

ALONE static void step(void)
{
	sum++;
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
