/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a graph of which each edge is a block, built and torn down by all
 *                parts of the program, so that none of them stands out.
 */
// expect: M1 allocation-rate
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#define ROUNDS 3000

struct edge {
	struct edge *next;
	uint64_t to, weight, seen[3];
};

static struct edge *edges;
static int is_building;

static inline __attribute__((always_inline, no_instrument_function)) void change(void)
{
	for (uint64_t i = 0; i < 4; i++) {
		struct edge *edge = is_building ? malloc(sizeof(*edge)) : edges;

		if (!edge)
			abort();
		if (is_building) {
			*edge = (struct edge){.next = edges, .to = i};
			edges = edge;
		} else {
			edges = edge->next;
			free(edge);
		}
	}
}

#define BACKGROUND_EXTRA change
#include "background.h"

int main(void)
{
	mallopt(M_TRIM_THRESHOLD, 256 << 20); /* the heap keeps its pages */
	for (int i = 0; i < 9; i++) {
		is_building = 1;
		background(ROUNDS, 2);
		is_building = 0;
		background(ROUNDS, 2);
	}
	return 0;
}
