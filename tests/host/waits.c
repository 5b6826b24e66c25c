/* SPDX-License-Identifier: MIT */
/* What this is:  a program that looks for children that it does not have. */
#include "../programs/truth.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sum, deaths;

ALONE static void step(void)
{
	sum++;
}

static void on_death(int signal)
{
	(void)signal;
	deaths++;
}

static const char *name(int result)
{
	return result == 0  ? "nothing yet"
	       : result > 0 ? "a child"
			    : strerrorname_np(errno);
}

int main(int argc, char **argv)
{
	siginfo_t info;
	int i, pid;

	signal(SIGCHLD, on_death);
	for (i = 0; i < 10; i++)
		step();
	printf("wait: %s\n", name(wait(NULL)));
	usleep(50000);
	printf("waitpid: %s\n", name(waitpid(-1, NULL, WNOHANG)));
	printf("all: %s\n", name(waitpid(-1, NULL, WNOHANG | __WALL)));
	printf("clone: %s\n", name(waitpid(-1, NULL, WNOHANG | __WCLONE)));
	printf("waitid: %s\n", name(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL)));
	printf("deaths: %u\n", deaths);
	pid = fork();
	if (pid == 0)
		_exit(0);
	printf("own: %d\n", wait(NULL) == pid);
	printf("wait: %s\n", name(wait(NULL)));
	fflush(stdout);
	if (argc > 1 && !strcmp(argv[1], "subreaper")) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		execl("/proc/self/exe", argv[0], NULL);
	}
	return 0;
}
