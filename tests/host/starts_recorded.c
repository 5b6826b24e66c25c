/* SPDX-License-Identifier: MIT */
/* Preloaded into a collector: has it start a program that is recorded, once, and wait for
 * its end. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((constructor)) static void start(void)
{
	const char *program = getenv("START");
	pid_t child;

	if (!program)
		return;
	child = fork();
	if (child == 0) {
		setenv("LD_PRELOAD", getenv("START_LIBRARY"), 1);
		setenv("PROFSHIM_OUTPUT", getenv("START_OUTPUT"), 1);
		setenv("PROFSHIM_LEVEL", "exact", 1);
		unsetenv("START");
		execl(program, program, "counts", "1", "1000", (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	unsetenv("START");
	unsetenv("LD_PRELOAD");
}
