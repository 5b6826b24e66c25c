/* SPDX-License-Identifier: MIT */
/* Starts a child with posix_spawn and ends with quick_exit. */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	char *arguments[] = {"echo", "child", NULL};
	pid_t child;

	if (posix_spawn(&child, "/bin/echo", NULL, NULL, arguments, environ) != 0 ||
	    waitpid(child, NULL, 0) != child)
		return 1;
	quick_exit(3);
}
