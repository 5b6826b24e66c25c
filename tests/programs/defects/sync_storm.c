/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: each line of a log is synced. Where temporary files lie in memory
 *                that takes little.
 */
// expect: I2 sync-storm write_line
// rules: {"rules": {"I2": {"limits": {"run_share": 0.002}}}}
// mild: I1 I3 W1
#include "background.h"

#include <stdlib.h>
#include <unistd.h>

static __attribute__((noinline)) void write_line(int file)
{
	if (write(file, "line\n", 5) == 5)
		fsync(file);
}

int main(void)
{
	char name[] = "log-XXXXXX";
	int file = mkstemp(name);

	if (file < 0)
		return 1;
	for (int i = 0; i < 400; i++) {
		write_line(file);
		background(1, 200);
	}
	close(file);
	return unlink(name) != 0;
}
