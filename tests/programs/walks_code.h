/* SPDX-License-Identifier: MIT */
/* What this is:  code without hooks whose stacks are hard to walk, or to tell from the one
 *                before; for walks.c, and tests/unit/shim/test_walk.c, which has its own
 *                WALKS_ALLOCATE. Each library that includes it is compiled in a way of its
 *                own: with frame pointers, or without.
 * See also:      walks.c */
#pragma once

#include "truth.h"
#include "walks.h"
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>

#define PLAIN ALONE __attribute__((no_instrument_function))

static __thread struct walks walks;

#ifndef WALKS_ALLOCATE
#define WALKS_ALLOCATE malloc
#endif

PLAIN static void leaf(void)
{
	void *block = WALKS_ALLOCATE(opaque(24));

	walks.allocation_count++;
	keep(block);
	free(block);
}

PLAIN static unsigned draw(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

PLAIN static void wander(unsigned *state, int depth);

/* Frames of all sizes: one lies where three were before, and what these left is still
 * there, return addresses and all. */
#define ROOM(name, bytes)                                                                \
	PLAIN static void name(unsigned *state, int depth)                               \
	{                                                                                \
		char room[bytes];                                                        \
                                                                                         \
		keep(room);                                                              \
		wander(state, depth - 1);                                                \
		keep(room);                                                              \
	}

ROOM(room_8, 8)
ROOM(room_24, 24)
ROOM(room_56, 56)
ROOM(room_120, 120)
ROOM(room_248, 248)

/* Frames whose size the compiler does not know. */
PLAIN static void varying(unsigned *state, int depth)
{
	char *room = alloca(opaque(draw(state) % 200));

	keep(room);
	wander(state, depth - 1);
	keep(room);
}

PLAIN static void aligned(unsigned *state, int depth)
{
	char line[64] __attribute__((aligned(64)));

	keep(line);
	wander(state, depth - 1);
	keep(line);
}

PLAIN static void aligned_varying(unsigned *state, int depth)
{
	char line[64] __attribute__((aligned(64)));
	char *room = alloca(opaque(draw(state) % 300));

	keep(line);
	keep(room);
	wander(state, depth - 1);
	keep(line);
	keep(room);
}

/* Many registers are kept, and so are their old values below. */
PLAIN static void crowded(unsigned *state, int depth)
{
	int a = (int)opaque(1), b = (int)opaque(2), c = (int)opaque(3),
	    d = (int)opaque(4), e = (int)opaque(5), f = (int)opaque(6);

	wander(state, depth - 1);
	keep(a + b);
	wander(state, depth - 2);
	keep(a + b + c + d + e + f);
}

PLAIN static void by_jump(unsigned *state, int depth)
{
	wander(state, depth - 1);
}

typedef void walker(unsigned *state, int depth);

PLAIN static void wander(unsigned *state, int depth)
{
	static walker *const ways[] = {room_8,	 room_24, room_56, room_120,
				       room_248, varying, aligned, aligned_varying,
				       crowded,	 by_jump};

	leaf();
	if (walks.between && draw(state) % 4 == 0)
		walks.between();
	for (int i = 0; depth > 0 && i < 2; i++)
		ways[draw(state) % (sizeof(ways) / sizeof(ways[0]))](state, depth);
	leaf();
}

PLAIN static void dive(int depth)
{
	if (depth)
		dive(depth - 1);
	leaf();
}

/* The same code at the same stack pointer, called by the same call, but through one frame
 * more: only the frame pointer tells. */
static __thread uintptr_t wanted, reached;

PLAIN static void shift(size_t size)
{
	char *room = alloca(opaque(size));

	keep(room);
	reached = (uintptr_t)room;
	if (reached == wanted || !wanted)
		leaf();
	keep(room);
}

PLAIN static void shift_farther(size_t size)
{
	char room[40];

	keep(room);
	shift(size);
	keep(room);
}

PLAIN static int meet(void)
{
	void (*ways[])(size_t) = {shift_farther, shift};
	size_t first = opaque(1);

	wanted = 0;
	for (size_t size = 608; size > 0; size -= 16) {
		ways[first](size);
		if (first)
			wanted = reached;
		else if (reached == wanted)
			return 1;
		first = opaque(0);
	}
	return 0;
}

PLAIN static int compare(const void *one, const void *other)
{
	leaf();
	return *(const char *)one - *(const char *)other;
}

PLAIN static void sort(void)
{
	char word[] = "the quick brown fox";

	qsort(word, sizeof(word) - 1, 1, compare);
	keep(word);
}

PLAIN static void on_signal(int number)
{
	unsigned state = (unsigned)number;

	wander(&state, 3);
}

PLAIN static void interrupt(void)
{
	unsigned state = 5;

	raise(SIGUSR1);
	wander(&state, 2);
	raise(SIGUSR2); /* on the alternate stack */
	keep(&state);
}

PLAIN void walks_handle(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
}

PLAIN struct walks *walks_of(void)
{
	walks.wander = wander;
	walks.dive = dive;
	walks.sort = sort;
	walks.meet = meet;
	walks.interrupt = interrupt;
	return &walks;
}
