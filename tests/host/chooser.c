/* SPDX-License-Identifier: MIT */
/* An indirect function whose resolver is instrumented: the hooks fire while the loader
 * still relocates. As library (-DLIBRARY) and in the program (-DPROGRAM). */
#include "truth.h"
#include <stdio.h>

int chosen(int number);

#ifndef USER
ALONE static int twice(int number)
{
	return 2 * number;
}

ALONE static int (*resolve(void))(int)
{
	return twice;
}

int chosen(int number) __attribute__((ifunc("resolve")));
#endif

#ifndef LIBRARY
int main(void)
{
	printf("%d %d\n", chosen(21), chosen(1));
	return 0;
}
#endif
