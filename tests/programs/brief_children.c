/* SPDX-License-Identifier: MIT */
/* Children that are over before the kernel could tell what they have read and written:
 * they are not asked, which is said, and each of their calls is there. One that computes
 * for longer is asked, in the slot of one that was not. */
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 300
// expect-sql: SELECT calls FROM functions WHERE name = 'brief' => 100
// expect-sql: SELECT calls FROM functions WHERE name = 'busy' => 1
// expect-sql: SELECT COUNT(*) FROM processes => 102
// expect-sql: SELECT value BETWEEN 1 AND 100 FROM trust WHERE name =
//     'uncompared_processes' => 1
// expect-trust: unseen_write_bytes => 77
#include "truth.h"
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN 100
#define BUSY_NS 5000000

static int file;
static volatile long count;

ALONE static void step(void)
{
	count++;
}

ALONE static void brief(void)
{
	for (int i = 0; i < 3; i++)
		step();
	_exit(0);
}

ALONE static void busy(void)
{
	static const char bytes[77];
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_sec == 0 && now.tv_nsec < BUSY_NS);
	count += syscall(SYS_pwrite64, file, bytes, sizeof(bytes), 0);
	_exit(0);
}

static int end_of(pid_t pid)
{
	int status;

	return pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0;
}

int main(void)
{
	FILE *made = tmpfile();
	int failed = 0;
	pid_t pid;

	if (!made)
		return 1;
	file = fileno(made);
	for (int i = 0; i < CHILDREN; i++) {
		pid = fork();
		if (pid == 0)
			brief();
		failed |= end_of(pid);
	}
	pid = fork();
	if (pid == 0)
		busy();
	return failed | end_of(pid);
}
