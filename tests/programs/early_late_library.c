/* SPDX-License-Identifier: MIT */
/* The library of early_late.c. Its link names the old start and end functions. */
#include "truth.h"
#include <stdlib.h>

ALONE static void library_leaf(void)
{
	void *block = malloc(opaque(61));

	keep(block);
	free(block);
}

__attribute__((constructor(101))) ALONE static void library_constructor(void)
{
	library_leaf();
}

__attribute__((destructor(101))) ALONE static void library_destructor(void)
{
	library_leaf();
}

ALONE void library_call(void)
{
	library_leaf();
}

/* Named in the dynamic section by -init and -fini. */
ALONE void library_old_start(void)
{
	library_leaf();
}

ALONE void library_old_end(void)
{
	library_leaf();
}
