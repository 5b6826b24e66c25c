/* SPDX-License-Identifier: MIT */
/* Prints its environment. */
#include <stdio.h>

int main(int argc, char **argv, char **environment)
{
	(void)argc;
	(void)argv;
	for (; *environment; environment++)
		puts(*environment);
	return 0;
}
