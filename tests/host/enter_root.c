/* SPDX-License-Identifier: MIT */
/* Executes a program in another root: enter_root DIRECTORY PROGRAM */
#include "truth.h"
#include <unistd.h>

int main(int argc, char **argv)
{
	char *environment[] = {"A=1", NULL};

	if (argc != 3 || chroot(argv[1]) || chdir("/"))
		return 1;
	execve(argv[2], argv + 2, environment);
	return 2;
}
