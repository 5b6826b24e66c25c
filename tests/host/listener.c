/* SPDX-License-Identifier: MIT */
/*
 * What this is:  writes a line for each signal it gets: its number, whether the kernel
 *                or a process sent it, and its value. SIGQUIT ends it, as it does nginx,
 *                with status 3; SIGUSR2 makes it send SIGUSR1 to its process group.
 *                usage: listener [hold-stops]; then stop signals do not stop it.
 * Runs on:       tests, under prof-record.
 * See also:      tests/host/signals_passed_on.py
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define ENDED_STATUS 3

static void tell(const siginfo_t *info)
{
	printf("%d %s %d\n", info->si_signo, info->si_code > 0 ? "kernel" : "process",
	       info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
}

static void hold_signals(sigset_t *ret, bool with_stops)
{
	sigfillset(ret);
	if (!with_stops) {
		sigdelset(ret, SIGTSTP);
		sigdelset(ret, SIGTTIN);
		sigdelset(ret, SIGTTOU);
	}
	sigprocmask(SIG_SETMASK, ret, NULL);
}

int main(int argc, char **argv)
{
	siginfo_t info;
	sigset_t held;

	(void)argv;
	setvbuf(stdout, NULL, _IOLBF, 0);
	hold_signals(&held, argc > 1);
	printf("ready %d\n", getpid());
	while (true) {
		if (sigwaitinfo(&held, &info) < 0)
			continue;
		tell(&info);
		if (info.si_signo == SIGQUIT)
			return ENDED_STATUS;
		if (info.si_signo == SIGUSR2)
			kill(0, SIGUSR1);
	}
}
