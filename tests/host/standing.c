/* SPDX-License-Identifier: MIT */
/* What a process can see of itself: descriptors, signals, groups, limits. */
#include "truth.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void show_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	char path[512];

	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		printf("descriptor %s %d\n", entry->d_name,
		       readlinkat(dirfd(directory), entry->d_name, path, sizeof(path)) >
			       0);
	}
	if (directory)
		closedir(directory);
}

static void show_status(void)
{
	static const char *const names[] = {"Sig",    "Shd",	     "Threads", "Umask",
					    "Groups", "NoNewPrivs",  "Seccomp", "Cap",
					    "Uid",    "CoreDumping", "THP"};
	FILE *file = fopen("/proc/self/status", "r");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "SigQ", 4)) /* those of all processes of the user */
			continue;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (!strncmp(line, names[i], strlen(names[i])))
				fputs(line, stdout);
	}
	if (file)
		fclose(file);
}

static void show_signals(void)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0)
			printf("%d:%d:%x ", number, action.sa_handler != SIG_DFL,
			       (unsigned int)action.sa_flags);
	}
	printf("\n");
}

ALONE static void show(const char *who)
{
	struct itimerval timer;
	struct rlimit limit;
	stack_t stack;
	char name[16], cwd[4096];
	int state = 0;

	printf("%s\n", who);
	show_descriptors();
	show_status();
	show_signals();
	for (int i = 0; i < RLIM_NLIMITS; i++)
		if (getrlimit(i, &limit) == 0)
			printf("%lx:%lx ", (long)limit.rlim_cur, (long)limit.rlim_max);
	getitimer(ITIMER_REAL, &timer);
	sigaltstack(NULL, &stack);
	prctl(PR_GET_NAME, name, 0, 0, 0);
	prctl(PR_GET_PDEATHSIG, &state, 0, 0, 0);
	printf("\n%d %d %d %d %d %ld %x %s %s %d %d %d\n", getpgrp() == getppid(),
	       getpgrp() == getpid(), getsid(0) == getpid(), nice(0),
	       getpriority(PRIO_PROCESS, 0), (long)timer.it_value.tv_sec,
	       (unsigned int)stack.ss_flags, name, getcwd(cwd, sizeof(cwd)), state,
	       prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), waitpid(-1, NULL, __WALL | WNOHANG));
	fflush(stdout);
}

int main(void)
{
	sigset_t set;
	int pid;

	show("first");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	pid = fork();
	if (pid == 0) {
		show("child");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	show("again");
	return 0;
}
