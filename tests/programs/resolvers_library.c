/* SPDX-License-Identifier: MIT */
/* The library of resolvers.c. */
#include "truth.h"

typedef void function(void);

static volatile unsigned sum;

ALONE static void library_chosen(void)
{
	sum++;
}

ALONE static function *library_choose(void)
{
	return library_chosen;
}

__attribute__((used)) ALONE static function *library_resolve(void)
{
	return library_choose();
}

void library_indirect(void) __attribute__((ifunc("library_resolve")));
