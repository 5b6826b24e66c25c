/* SPDX-License-Identifier: MIT */
#include <stdio.h>

int main(void)
{
	int count = "one";
	return count + missing;
}
