/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a server of one busy thread and three that wait for work that does not
 *                come. usage: server SECONDS; ends by itself.
 * See also:      life.py
 */
#include "../programs/truth.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void serve(void)
{
	for (int i = 0; i < 20000; i++)
		sum++;
}

ALONE static void *await(void *argument)
{
	pause();
	return argument;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, await, NULL))
			return 1;
	while (time(NULL) < end)
		serve();
	return 0;
}
