/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: what each request leaves behind is kept for ever.
 */
// expect: M5 snapshot-growth remember
#include "background.h"

#include "profshim.h"

#include <stdlib.h>
#include <string.h>

struct memory {
	struct memory *next;
	char text[1000];
};

static struct memory *memories;

static __attribute__((noinline)) void remember(int number)
{
	struct memory *memory = malloc(sizeof(*memory));

	if (!memory)
		abort();
	memset(memory->text, number & 63, sizeof(memory->text));
	memory->next = memories;
	memories = memory;
}

static __attribute__((noinline)) void handle_request(int number)
{
	background(1, 10000);
	for (int i = 0; i < 40; i++)
		remember(number + i);
}

int main(void)
{
	for (int i = 0; i < 12; i++) {
		for (int k = 0; k < 10; k++)
			handle_request(k);
		profshim_snapshot("requests");
	}
	return 0;
}
