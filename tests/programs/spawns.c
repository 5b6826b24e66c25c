/* SPDX-License-Identifier: MIT */
/* Children by system(), posix_spawn(), popen() and vfork(): all are followed, none
 * disturbs the frames and the counts of the parent. */
// tolerate: memory
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 40
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'step' ORDER BY caller
//     => main|30; with_vfork|10
// expect-sql: SELECT COUNT(*) >= 1 FROM processes WHERE command LIKE '%exit 3%' => 1
// expect-sql: SELECT COUNT(*) FROM processes WHERE command LIKE '%spawned%' => 1
// expect-sql: SELECT COUNT(*) >= 1 FROM processes WHERE command LIKE '%popened%' => 1
// expect-sql: SELECT COUNT(*) FROM processes WHERE command LIKE '%vforked%' => 10
// expect-sql: SELECT COUNT(*) FROM runs => 1
#include "truth.h"
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static int with_spawn(void)
{
	char *arguments[] = {"/bin/echo", "spawned", NULL};
	int pid, status;

	if (posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ))
		return -1;
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : -1;
}

ALONE static int with_popen(void)
{
	char line[32] = "";
	FILE *pipe = popen("echo popened; exit 2", "r");

	if (!pipe || !fgets(line, sizeof(line), pipe))
		return -1;
	printf("%s", line);
	return WEXITSTATUS(pclose(pipe));
}

ALONE static int with_vfork(void)
{
	int pid, status;

	pid = vfork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 4 # vforked", NULL);
		_exit(98);
	}
	step();
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	int i, status;

	setvbuf(stdout, NULL, _IONBF, 0);
	status = system("exit 3");
	printf("system: %d\n", WEXITSTATUS(status));
	for (i = 0; i < 30; i++)
		step();
	printf("spawn: %d\n", with_spawn());
	printf("popen: %d\n", with_popen());
	for (i = 0; i < 10; i++)
		printf("vfork: %d\n", with_vfork());
	return 0;
}
