/* SPDX-License-Identifier: MIT */
/*
 * What this is:  not a defect but a limit: the program may use one CPU, which three others
 *                want, too. These are not recorded.
 */
// expect: R3 starved
#include "background.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHERS 3

static __attribute__((no_instrument_function)) void use_one_cpu(void)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all)) {
			CPU_SET(i, &one);
			break;
		}
	sched_setaffinity(0, sizeof(one), &one);
}

static __attribute__((no_instrument_function)) pid_t start_other(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execle("/bin/sh", "sh", "-c", "while :; do :; done", (char *)NULL,
		       (char *[]){NULL});
		_exit(127);
	}
	return pid;
}

int main(void)
{
	pid_t others[OTHERS];

	use_one_cpu();
	for (int i = 0; i < OTHERS; i++)
		others[i] = start_other();
	background(50, 200000);
	for (int i = 0; i < OTHERS; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	return 0;
}
