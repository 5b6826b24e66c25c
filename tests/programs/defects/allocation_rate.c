/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a graph of which each edge is a block; it is built and torn down
 *                a few times.
 */
// expect: M1 allocation-rate add_edges
#include "background.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_BYTES (14 << 20)

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

static __attribute__((noinline)) void drop_edges(void)
{
	for (int i = 0; i < 8; i++) {
		struct edge *next = edges->next;

		free(edges);
		edges = next;
	}
}

static __attribute__((noinline)) void drop_nodes(void)
{
	for (int i = 0; i < 40; i++)
		drop_edges();
}

static __attribute__((noinline)) void tear_down(void)
{
	for (int i = 0; i < 600; i++)
		drop_nodes();
}

/* The heap has its pages before the work begins, and keeps them. */
static void prepare_heap(void)
{
	char *room;

	mallopt(M_MMAP_THRESHOLD, 2 * HEAP_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
	room = malloc(HEAP_BYTES);
	if (!room)
		abort();
	memset(room, 1, HEAP_BYTES);
	free(room);
}

int main(void)
{
	prepare_heap();
	background(2, 50000);
	for (int i = 0; i < 8; i++) {
		build();
		tear_down();
	}
	return 0;
}
