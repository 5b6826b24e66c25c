/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a file is read by one byte at a time.
 */
// expect: I1 small-transfers read_byte
// mild: W1 L1
#include "background.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static __attribute__((noinline)) int read_byte(int file)
{
	unsigned char byte;

	return read(file, &byte, 1) == 1 ? byte : -1;
}

int main(void)
{
	char name[] = "bytes-XXXXXX", block[4096] = {1};
	int file = mkstemp(name);

	if (file < 0)
		return 1;
	for (int i = 0; i < 64; i++)
		if (write(file, block, sizeof(block)) != sizeof(block))
			return 1;
	background(10, 20000);
	lseek(file, 0, SEEK_SET);
	while (read_byte(file) >= 0)
		;
	close(file);
	return unlink(name) != 0;
}
