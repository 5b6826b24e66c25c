/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a tracer that stops a program at each of its system calls, as strace does,
 *                and says how many those were.
 *                usage: stops MOST PROGRAM [ARGUMENT...]; with more than MOST of them the
 *                program is killed. Ends with the program's status, or 9.
 * Must not:      follow the program's children.
 * See also:      surroundings.py
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each call has two stops, which are told from signals by this bit. */
#define OF_CALL (SIGTRAP | 0x80)

static int run_to_next_stop(pid_t child, int signal)
{
	int status = 0;

	ptrace(PTRACE_SYSCALL, child, NULL, (void *)(long)signal);
	waitpid(child, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	unsigned long stops = 0, most;
	int status = 0, signal = 0;
	pid_t child;

	if (argc < 3)
		return 2;
	most = 2 * strtoul(argv[1], NULL, 10);
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(2);
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, NULL,
	       (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	for (;;) {
		status = run_to_next_stop(child, signal);
		if (!WIFSTOPPED(status))
			break;
		signal = WSTOPSIG(status);
		if (signal == SIGTRAP)
			signal = 0; /* of an exec */
		if (signal != OF_CALL)
			continue;
		signal = 0;
		if (++stops > most)
			kill(child, SIGKILL);
	}
	printf("%lu calls\n", stops / 2);
	return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}
