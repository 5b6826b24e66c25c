/* SPDX-License-Identifier: MIT */
/* Loads the shim like any library, in each way, and goes on with its work: children, their
 * environments, memory, threads. by_hand LIBRARY NAMESPACE|LOCAL|GLOBAL */
#include "truth.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *work(void *argument)
{
	free(malloc(opaque(100)));
	return argument;
}

static void *load(const char *path, const char *way)
{
	if (!strcmp(way, "NAMESPACE"))
		return dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	return dlopen(path, RTLD_NOW | (strcmp(way, "GLOBAL") ? 0 : RTLD_GLOBAL));
}

int main(int argc, char **argv)
{
	char *arguments[] = {"/usr/bin/env", NULL}, *environment[] = {"A=1", NULL};
	char **before = environ;
	pthread_t thread;
	int pid, status;
	void *library;

	if (argc != 3)
		return 1;
	library = load(argv[1], argv[2]);
	if (!library) {
		printf("%s\n", dlerror());
		return 1;
	}
	for (int i = 0; i < 3; i++) {
		pid = fork();
		if (pid == 0 && i == 0)
			execve(arguments[0], arguments, environment);
		if (pid == 0)
			exit(i);
		if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != i)
			return 2;
	}
	if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
		return 3;
	dlclose(library);
	printf("environ is %s\n", environ == before ? "the same" : "another");
	return waitpid(-1, &status, 0) == -1 ? 5 : 4;
}
