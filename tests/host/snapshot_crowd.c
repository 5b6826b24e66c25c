/* SPDX-License-Identifier: MIT */
/* What this is:  holds a block and takes a snapshot, COUNT times. usage: snapshot_crowd
 *                COUNT */
#include "profshim.h"
#include "truth.h"
#include <stdlib.h>

ALONE static void hold(void)
{
	void *block = malloc(opaque(16));

	keep(block);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1;

	while (count-- > 0) {
		hold();
		profshim_snapshot("one more");
	}
	return 0;
}
