/* SPDX-License-Identifier: MIT */
/* What this is:  snapshots of 111,110 call paths with an allocation site each, all of which
 *                change in between: the first one, and the next four. usage: snapshots
 *                first|next */
#include "profshim.h"
#include "loop.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH 4

typedef void function(int depth);

static void *last;
static function *const functions[10];

#define FUNCTION(n)                                                                      \
	ALONE static void function##n(int depth)                                         \
	{                                                                                \
		void *block = malloc(10 + n);                                            \
		int i;                                                                   \
                                                                                         \
		free(last);                                                              \
		last = block;                                                            \
		for (i = 0; depth > 0 && i < 10; i++)                                    \
			functions[i](depth - 1);                                         \
	}

FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)
FUNCTION(8)
FUNCTION(9)

static function *const functions[10] = {function0, function1, function2, function3,
					function4, function5, function6, function7,
					function8, function9};

int main(int argc, char **argv)
{
	int rounds = argc > 1 && !strcmp(argv[1], "next") ? 5 : 1, i;
	double start, seconds = 0;

	for (i = 0; i < rounds; i++) {
		for (function *const *each = functions; each < functions + 10; each++)
			(*each)(DEPTH);
		start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
		profshim_snapshot("all changed");
		if (rounds == 1 || i > 0)
			seconds += seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	print_cost(seconds, rounds == 1 ? 1 : (unsigned long)rounds - 1);
	return 0;
}
