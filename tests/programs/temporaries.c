/* SPDX-License-Identifier: MIT */
/* Temporary: freed with at most one other allocation of the thread in between. */
// expect-sql: SELECT name, SUM(alloc_count), SUM(temporary_count) FROM allocation_sites
//     WHERE name LIKE '%_between' OR name = 'string' GROUP BY name ORDER BY name =>
//     none_between|1000|1000; one_between|2000|2000; string|1000|1000;
//     two_between|3000|2000
#include "truth.h"
#include <stdlib.h>

ALONE static void none_between(void)
{
	void *block = malloc(opaque(24));

	keep(block);
	free(block);
}

/* The first has the second in between, the second nothing. */
ALONE static void one_between(void)
{
	void *first = malloc(opaque(24)), *second = malloc(opaque(48));

	keep(first);
	keep(second);
	free(first);
	free(second);
}

/* The first has two others in between, the second one, the third none. */
ALONE static void two_between(void)
{
	void *first = malloc(opaque(24)), *second = malloc(opaque(48)),
	     *third = malloc(opaque(96));

	keep(first);
	keep(second);
	keep(third);
	free(first);
	free(second);
	free(third);
}

ALONE static char *string(void)
{
	return calloc(1, opaque(10));
}

int main(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		none_between();
	for (i = 0; i < 1000; i++)
		one_between();
	for (i = 0; i < 1000; i++)
		two_between();
	for (i = 0; i < 1000; i++)
		free(string());
	return 0;
}
