/* SPDX-License-Identifier: MIT */
/*
 * Children that go on counting: usage: offspring CHILDREN. Some fork while another thread
 * has code written; in some functions are switched that the parent knows nothing of, so
 * that the slots they leave have numbers that others have not.
 */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "tally.h"

enum { STEP, OTHER, THIRD, FOURTH, IN_CHILD };

static volatile unsigned int sink;
static volatile int is_over;

#define FUNCTION(name, number)                                                           \
	APART static unsigned int name(unsigned int n)                                   \
	{                                                                                \
		TALLY(number);                                                           \
		return n * 3 + number;                                                   \
	}

FUNCTION(step, STEP)
FUNCTION(other, OTHER)
FUNCTION(third, THIRD)
FUNCTION(fourth, FOURTH)

static unsigned int (*const functions[])(unsigned int) = {step, other, third, fourth};

APART static void in_child(unsigned int which)
{
	TALLY(IN_CHILD);
	for (unsigned int i = 0; i < 3000; i++) {
		sink += functions[which % 4](i);
		if (i % 2)
			sink += functions[which / 4 % 4](i);
	}
}

static void *busy(void *argument)
{
	for (unsigned int i = 0; !is_over; i++)
		sink += step(i);
	return argument;
}

/* Nobody may be able to write code after us: not in the parent, not in a child. */
NO_HOOKS static int has_open_code(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	int found = 0;

	while (maps && fgets(line, sizeof(line), maps))
		found |= strstr(line, " rwx") != NULL;
	if (maps)
		fclose(maps);
	return found;
}

int main(int argument_count, char **arguments)
{
	int children = argument_count > 1 ? atoi(arguments[1]) : 200, status, failed = 0;
	pthread_t thread;

	tally_begin();
	if (argument_count > 2 && pthread_create(&thread, NULL, busy, NULL))
		return 1;
	for (int i = 0; i < children; i++) {
		pid_t child = fork();

		if (child == 0) {
			in_child((unsigned int)i);
			_exit(has_open_code() ? 3 : 0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			failed = 1;
		if (i == children / 2)
			in_child(2);
	}
	is_over = 1;
	if (argument_count > 2)
		pthread_join(thread, NULL);
	TALLY_SAY(step, STEP);
	TALLY_SAY(other, OTHER);
	TALLY_SAY(third, THIRD);
	TALLY_SAY(fourth, FOURTH);
	TALLY_SAY(in_child, IN_CHILD);
	return failed || has_open_code();
}
