/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: more memory than the limit that the rules file sets.
 */
// expect: M13 memory-limit
// rules: {"rules": {"M13": {"limits": {"peak_bytes": 1000000}}}}
#include "background.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_BYTES 100000

static char *tables[20];

int main(void)
{
	for (int i = 0; i < 20; i++) {
		tables[i] = malloc(TABLE_BYTES);
		if (!tables[i])
			abort();
		memset(tables[i], 1, TABLE_BYTES);
	}
	background(10, 100000);
	for (int i = 0; i < 20; i++)
		free(tables[i]);
	return 0;
}
