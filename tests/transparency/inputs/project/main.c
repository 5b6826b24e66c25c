/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "part.h"

int main(void)
{
	printf("%d\n", part(14));
	return 0;
}
