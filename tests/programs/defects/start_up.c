/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: most of a run goes into tables that are built before main().
 */
// expect: T13 start-up-cost build_tables
#include "background.h"

__attribute__((constructor)) static void build_tables(void)
{
	background(60, 70000);
}

int main(void)
{
	background(30, 70000);
	return 0;
}
