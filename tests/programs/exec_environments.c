/* SPDX-License-Identifier: MIT */
/* Children that are given an environment of their own, by every function that can: all
 * are recorded in the same run, and each sees what it was given and nothing else. */
// tolerate: memory
// expect-sql: SELECT COUNT(*) FROM runs => 1
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 95
// expect-sql: SELECT COUNT(*), COUNT(exit_code), MIN(complete) FROM processes WHERE
//     command LIKE '% child %' => 19|0|1
// expect-sql: SELECT COUNT(*), MIN(exit_code), MAX(exit_code), MIN(complete) FROM processes
//     WHERE command LIKE '% again %' => 19|5|5|1
// expect-sql: SELECT COUNT(*) FROM processes p JOIN processes q ON q.pid = p.pid AND
//     q.process_id > p.process_id WHERE p.command LIKE '% child %' AND q.command LIKE
//     '% again %' => 19
// expect-sql: SELECT COUNT(*) FROM processes WHERE parent_process_id IS NULL => 1
#include "truth.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LARGE 2000

extern char **environ;
static volatile unsigned sum;
static char *large[LARGE + 1];
static char *own[] = {"A=1", "EMPTY=", "odd entry", "B=2", NULL};
static char *preload[] = {"A=1", "LD_PRELOAD=", "B=2", NULL};
static char *library[] = {"A=1", "LD_PRELOAD=libm.so.6 libdl.so.2", "B=2", NULL};
static char *nothing[] = {NULL};

ALONE static void step(void)
{
	sum++;
}

/* What the child sees; a hash where it is long. */
static void show(const char *title, char **entries)
{
	unsigned int hash = 0, count = 0;

	printf("%s:", title);
	for (; *entries; entries++, count++) {
		if (count < 8)
			printf(" [%s]", *entries);
		for (const char *at = *entries; *at; at++)
			hash = hash * 31 + (unsigned char)*at;
	}
	printf(" %u entries, %u\n", count, hash);
	fflush(stdout);
}

static int start(const char *how, char *const *arguments)
{
	const char *path = "/proc/self/exe";
	const char *name = arguments[1], *word = arguments[2];
	int fd;

	if (!strcmp(how, "execve"))
		return execve(path, arguments, own);
	if (!strcmp(how, "execve-empty"))
		return execve(path, arguments, nothing);
	if (!strcmp(how, "execve-null"))
		return execve(path, arguments, (char **)opaque(0));
	if (!strcmp(how, "execve-preload"))
		return execve(path, arguments, preload);
	if (!strcmp(how, "execve-library"))
		return execve(path, arguments, library);
	if (!strcmp(how, "execve-large"))
		return execve(path, arguments, large);
	if (!strcmp(how, "execle"))
		return execle(path, arguments[0], name, word, NULL, own);
	if (!strcmp(how, "execvpe"))
		return execvpe(path, arguments, own);
	if (!strcmp(how, "fexecve") || !strcmp(how, "execveat")) {
		fd = open(path, O_RDONLY);
		return how[0] == 'f' ? fexecve(fd, arguments, own)
				     : execveat(fd, "", arguments, own, AT_EMPTY_PATH);
	}
	clearenv();
	if (!strcmp(how, "execv"))
		return execv(path, arguments);
	if (!strcmp(how, "execvp"))
		return execvp(path, arguments);
	if (!strcmp(how, "execl"))
		return execl(path, arguments[0], name, word, NULL);
	return execlp(path, arguments[0], name, word, NULL);
}

static int spawn(const char *how, char *const *arguments)
{
	const char *path = "/proc/self/exe";
	char **entries = !strcmp(how, "spawn-large") ? large : own;
	int pid, result;

	if (!strcmp(how, "vfork")) {
		pid = vfork();
		if (pid == 0) {
			execve(path, arguments, own);
			_exit(98);
		}
		return pid;
	}
	if (!strcmp(how, "spawnp"))
		result = posix_spawnp(&pid, path, NULL, NULL, arguments, entries);
	else
		result = posix_spawn(&pid, path, NULL, NULL, arguments, entries);
	return result ? -1 : pid;
}

ALONE static void run(const char *how, char *program)
{
	char *arguments[] = {program, "child", (char *)how, NULL};
	int pid, status = 0;

	if (!strcmp(how, "vfork") || !strncmp(how, "spawn", 5)) {
		pid = spawn(how, arguments);
	} else {
		pid = fork();
		if (pid == 0) {
			start(how, arguments);
			_exit(97);
		}
	}
	if (waitpid(pid, &status, 0) != pid)
		status = -1;
	printf("%s: status %x\n", how, (unsigned int)status);
	fflush(stdout);
}

/* Errors are the kernel's own. */
static void fail(char *program)
{
	char *arguments[] = {program, NULL};
	char *bad[] = {"A=1", (char *)opaque(16), NULL};
	int pid = 7;

	printf("%d", execve("/nonexistent", arguments, own) + errno);
	printf(" %d", execve("/proc/self/exe", arguments, bad) + errno);
	printf(" %d", execve("/proc/self/exe", arguments, (char **)opaque(64)) + errno);
	printf(" %d", execve((char *)opaque(64), arguments, own) + errno);
	printf(" %d", execvpe("nonexistent-program", arguments, own) + errno);
	printf(" %d", execve("/etc/passwd", arguments, own) + errno);
	printf(" %d", fexecve(-1, arguments, own) + errno);
	printf(" %d %d\n", posix_spawn(&pid, "/nonexistent", NULL, NULL, arguments, own),
	       pid);
	fflush(stdout);
}

int main(int argc, char **argv, char **envp)
{
	static const char *const ways[] = {
		"execve",	  "execve-empty", "execve-null", "execve-preload",
		"execve-library", "execve-large", "execle",	 "execvpe",
		"fexecve",	  "execveat",	  "execv",	 "execvp",
		"execl",	  "execlp",	  "spawn",	 "spawnp",
		"spawn-large",	  "vfork",	  "execve"};

	for (unsigned int i = 0; i < LARGE; i++)
		asprintf(&large[i], "VARIABLE_%u=%u", i, i * i);
	if (argc > 2) {
		show(argv[1], envp);
		show(argv[1], environ);
		step();
		step();
		if (!strcmp(argv[1], "again"))
			return 5;
		step();
		argv[1] = "again";
		start(argv[2][0] == 'v' || argv[2][0] == 's' ? "execve" : argv[2], argv);
		return 96;
	}
	for (unsigned int i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		run(ways[i], argv[0]);
	fail(argv[0]);
	return 0;
}
