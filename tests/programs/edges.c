/* SPDX-License-Identifier: MIT */
/* Who called whom is counted, call site by call site, where calls have no frames: a tiny
 * function with 77 callers, one of which comes late; recursion; calls by pointers; in
 * threads and children; and of libraries of which one lies where another one was. What is
 * called rarely and takes long keeps its frames, and its callers, too. */
// variants: all
// flags: -pthread
// settings: PROFSHIM_OVERHEAD=2
// tolerate: sampled_functions stopped_functions cut_frames
// plugin: edges_one.c
// plugin: edges_two.c
// expect-sql: SELECT caller, SUM(calls) FROM call_edges WHERE callee = 'tiny' AND caller NOT
//     GLOB 'many_*' GROUP BY 1 ORDER BY 1 => few_a|640000; few_b|520000; late|777;
//     plug [edges_one.c]|30000; plug [edges_two.c]|50000; turn|21000
// expect-sql: SELECT COUNT(*), SUM(calls), SUM(calls = 1000 * (1 + SUBSTR(caller, 6))) FROM
//     call_edges WHERE callee = 'tiny' AND caller GLOB 'many_*' => 70|2485000|70
// expect-sql: SELECT caller, callee, calls FROM call_edges WHERE callee IN ('turn', 'left',
//     'right') ORDER BY 2, 1 => apply|left|500000; apply|right|700000; main|turn|1000;
//     turn|turn|20000
// expect-sql: SELECT caller, SUM(calls) FROM call_edges WHERE callee = 'slow' GROUP BY 1
//     ORDER BY 1 => via_a|40; via_b|60
// expect-sql: SELECT SUM(e.calls) = (SELECT SUM(calls) FROM functions WHERE name = 'tiny')
//     FROM call_edges e WHERE callee = 'tiny' => 1
// expect-trust: damaged_segments => 0
#include "beside.h"
#include "truth.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned int sink;

ALONE static void tiny(void)
{
	sink++;
}

ALONE static void few_a(unsigned int count)
{
	while (count--)
		tiny();
	sink++;
}

ALONE static void few_b(unsigned int count)
{
	for (; count; count -= 2) {
		tiny();
		sink++;
		tiny();
	}
	sink++;
}

#define MANY(number)                                                                     \
	ALONE static void many_##number(unsigned int count)                              \
	{                                                                                \
		for (count *= 1 + (unsigned int)(1##number - 100); count; count--)       \
			tiny();                                                          \
		sink++;                                                                  \
	}
#define TEN(with, tens)                                                                  \
	with(tens##0) with(tens##1) with(tens##2) with(tens##3) with(tens##4)            \
		with(tens##5) with(tens##6) with(tens##7) with(tens##8) with(tens##9)
#define SEVENTY(with)                                                                    \
	TEN(with, 0)                                                                     \
	TEN(with, 1)                                                                     \
	TEN(with, 2) TEN(with, 3) TEN(with, 4) TEN(with, 5) TEN(with, 6)

SEVENTY(MANY)

ALONE static void late(void)
{
	for (unsigned int i = 0; i < 777; i++)
		tiny();
	sink++;
}

ALONE static void turn(unsigned int depth)
{
	tiny();
	if (depth)
		turn(depth - 1);
	sink++;
}

ALONE static void left(void)
{
	sink += 2;
}

ALONE static void right(void)
{
	sink += 3;
}

ALONE static void apply(void (*function)(void))
{
	function();
	sink++;
}

ALONE static void slow(void)
{
	for (unsigned int i = 0; i < 20000; i++)
		sink += i;
}

ALONE static void via_a(unsigned int number)
{
	if (number % 10000 == 0)
		slow();
	sink++;
}

ALONE static void via_b(unsigned int number)
{
	if (number % 10000 < 1 || number % 20000 == 1)
		slow();
	sink++;
}

ALONE static void *work(void *argument)
{
	few_a(100000);
	few_b(60000);
	return argument;
}

ALONE static int load_and_plug(const char *name, unsigned int count)
{
	void *library = load_beside(name);
	void (*plug)(void (*function)(void), unsigned int count);

	if (!library)
		return 1;
	plug = (void (*)(void (*)(void), unsigned int))(uintptr_t)dlsym(library, "plug");
	plug(tiny, count);
	return dlclose(library);
}

ALONE static int fork_and_call(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		few_a(40000);
		exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) < 0 || status;
}

int main(void)
{
	pthread_t threads[2];

	few_a(400000);
	few_b(400000);
	for (unsigned int i = 0; i < 700000; i++) {
		if (i % 7 < 5)
			apply(left);
		apply(right);
	}
	for (unsigned int i = 0; i < 400000; i++) {
		via_a(i);
		via_b(i);
	}
#define CALL(number) many_##number(1000);
	SEVENTY(CALL)
	for (unsigned int i = 0; i < 1000; i++)
		turn(20);
	for (unsigned int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (unsigned int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (load_and_plug("edges_one.so", 30000) ||
	    load_and_plug("edges_two.so", 50000) || fork_and_call())
		return 1;
	late();
	return sink == 0;
}
