/* SPDX-License-Identifier: MIT */
/*
 * What this is:  asks with pthread_kill() until a thread that nobody joins has ended, as
 *                programs did that were linked with glibc before 2.34, and prints what it
 *                was told at last: "gone", or "there" when the kernel does not know the
 *                thread any more.
 * See also:      surroundings.py, shim/wrap/real.c
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#ifdef OLD
__asm__(".symver pthread_kill, pthread_kill@GLIBC_2.2.5");
#endif

static volatile pid_t tid;

static void *end(void *unused)
{
	(void)unused;
	tid = gettid();
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int result, is_left;

	if (pthread_create(&thread, NULL, end, NULL) != 0)
		return 1;
	do {
		usleep(1000);
		is_left = !tid || tgkill(getpid(), tid, 0) == 0;
		result = pthread_kill(thread, 0);
	} while (is_left && result == 0);
	puts(result == ESRCH ? "gone" : "there");
	return pthread_join(thread, NULL);
}
