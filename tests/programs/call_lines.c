/* SPDX-License-Identifier: MIT */
/*
 * Where functions are called: a line that ends with "//@ CALLER CALLEE" is the first that
 * calls CALLEE on the path of CALLER, one with "//+ CALLER CALLEE" another one. What has no
 * such line is called by code that tells none. One that ends with "//= FUNCTION BYTES" asks
 * for so much each time, by way of get(), which only hands out memory, or without it; no other
 * line asks for any. The argument says how often all this is done.
 *
 * usage: call_lines [ROUNDS]
 */
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BARE __attribute__((no_instrument_function)) ALONE

ALONE static int leaf(int x)
{
	keep(&x);
	return x + 1;
}

ALONE static int two_lines(int x)
{
	int y = leaf(x); //@ two_lines leaf

	y += leaf(y); //+ two_lines leaf
	return y;
}

ALONE static int before(int x)
{
	return leaf(x); //@ before leaf
}

ALONE static int after(int x)
{
	int y = before(x); //@ after before

	return y + leaf(y); //@ after leaf
}

static inline __attribute__((always_inline)) int copy(int x)
{
	keep(&x);
	return leaf(x); //@ copy leaf
}

ALONE static int host(int x)
{
	return copy(x) + 1; //@ host copy
}

BARE static int bare(int x)
{
	int y = leaf(x); //@ around leaf

	keep(&y);
	return y;
}

ALONE static int around(int x)
{
	return bare(x) + 1;
}

ALONE static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

ALONE static int sorted(int x)
{
	int numbers[] = {x, 3, 1};

	qsort(numbers, 3, sizeof(*numbers), compare);
	return numbers[0];
}

ALONE static int down(int x)
{
	if (x == 0)
		return leaf(x); //@ down leaf
	return down(x - 1) + 1; //@ down down
}

ALONE static void *get(size_t size)
{
	void *block = malloc(size);

	keep(block);
	return block;
}

ALONE static void *get_zeroed(size_t size)
{
	char *block = get(size); //= get_zeroed 100

	for (size_t i = 0; i < size; i++)
		block[i] = 0;
	keep(block);
	return block;
}

ALONE static int asks_in_turns(void)
{
	free(get(opaque(10))); //= asks_in_turns 10
	free(get(opaque(20))); //= asks_in_turns 20
	free(get_zeroed(opaque(30)));
	free(get(opaque(50))); //= asks_in_turns 50
	return 1;
}

ALONE static int asks_once(void)
{
	free(get(opaque(60))); //= asks_once 60
	return 1;
}

ALONE static int asks_more(void)
{
	free(get(opaque(90))); //= asks_more 90
	return 1;
}

ALONE static int asks_zeroed(void)
{
	free(get_zeroed(opaque(70)));
	return 1;
}

ALONE static int asks_itself(void)
{
	void *block = malloc(opaque(80)); //= asks_itself 80

	keep(block);
	free(block);
	return 1;
}

ALONE static void in_child(void)
{
	keep(in_child);
	leaf(1); //@ in_child leaf
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1, sum = 0;
	pid_t child;

	for (int i = 0; i < rounds; i++) {
		sum += two_lines(i); //@ main two_lines
		sum += after(i);     //@ main after
		sum += host(i);	     //@ main host
		sum += around(i);    //@ main around
		sum += sorted(i);    //@ main sorted
		sum += down(2);	     //@ main down
		sum += asks_in_turns() + asks_once() + asks_more();
		sum += asks_zeroed() + asks_itself();
	}
	child = fork();
	if (child == 0) {
		in_child(); //@ main in_child
		_exit(0);
	}
	waitpid(child, NULL, 0); //@ main waitpid
	keep(&sum);
	return 0;
}
