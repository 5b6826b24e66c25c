/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a graph of which each edge is a block; it is built and torn down
 *                a few times.
 */
// expect: M1 allocation-rate add_edges
#include "background.h"

#include <stdlib.h>

struct edge {
	struct edge *next;
	uint64_t to, weight, seen[3];
};

static struct edge *edges;

static __attribute__((noinline)) void add_edges(uint64_t node)
{
	for (uint64_t i = 0; i < 8; i++) {
		struct edge *edge = malloc(sizeof(*edge));

		if (!edge)
			abort();
		*edge = (struct edge){.next = edges, .to = node + i};
		edges = edge;
	}
}

static __attribute__((noinline)) void add_nodes(uint64_t first)
{
	for (uint64_t i = 0; i < 40; i++)
		add_edges(first + i);
}

static __attribute__((noinline)) void build(void)
{
	for (uint64_t i = 0; i < 600; i++)
		add_nodes(40 * i);
}

static __attribute__((noinline)) void tear_down(void)
{
	while (edges) {
		struct edge *next = edges->next;

		free(edges);
		edges = next;
	}
}

int main(void)
{
	background(2, 50000);
	for (int i = 0; i < 8; i++) {
		build();
		tear_down();
	}
	return 0;
}
