/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: most of a run goes into tables that are built before main().
 */
// expect: T13 start-up-cost build_tables
#include "background.h"

__attribute__((constructor)) static void build_tables(void)
{
	background(6, 700000);
}

int main(void)
{
	background(3, 700000);
	return 0;
}
