/* SPDX-License-Identifier: MIT */
/* Has children one after the other, which call one function and end, and then waits until
 * standard input is closed. usage: brood COUNT [exec]. With exec each child is this program
 * again: brood 0. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

static void hatch(void)
{
	free(kept = malloc(10));
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1, failed = 0, status;
	char byte;

	if (count == 0) {
		hatch();
		return 0;
	}
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0 && argc > 2) {
			execl(argv[0], argv[0], "0", NULL);
			_exit(127);
		}
		if (child == 0) {
			hatch();
			exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
			failed = 1;
	}
	if (write(1, "all\n", 4) != 4 || read(0, &byte, 1) < 0)
		failed = 1;
	return failed;
}
