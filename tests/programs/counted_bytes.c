/* SPDX-License-Identifier: MIT */
/* What the kernel counts as read and written, and what of it calls were seen to move: of
 * threads that have ended and one that has not, of children each for itself, and through
 * streams that exit() flushes. What was moved by system calls of the program's own is not
 * seen, to the byte, and a child that is killed tells nothing. */
// flags: -pthread
// expect-trust: kernel_write_bytes => 62407
// expect-trust: kernel_read_bytes => 30300
// expect-trust: unseen_write_bytes => 12345
// expect-trust: unseen_read_bytes => 300
// expect-trust: uncompared_processes => 1
// expect-trust: lost_transfers => 0
// expect-sql: SELECT SUM(bytes) FROM io WHERE operation IN ('write', 'close') => 55062
// expect-sql: SELECT SUM(bytes) FROM io WHERE operation = 'read' => 30000
// expect-sql: SELECT name, SUM(bytes) FROM io WHERE name IN ('exit', 'fclose') GROUP BY 1
//     ORDER BY 1 => exit|62
#include "truth.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[40000];
static int file;
static volatile long moved;
static pthread_barrier_t barrier;

ALONE static void *ends(void *unused)
{
	moved += pwrite(file, bytes, 10000, 0);
	moved += pread(file, bytes, 10000, 0);
	return unused;
}

ALONE static void *stays(void *unused)
{
	moved += pwrite(file, bytes, 20000, 0);
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return unused;
}

ALONE static void child(int is_killed)
{
	moved += pwrite(file, bytes, 5000, 0);
	if (is_killed)
		raise(SIGKILL);
	moved += pread(file, bytes, 10000, 0);
}

ALONE static void own_calls(void)
{
	moved += syscall(SYS_pwrite64, file, bytes, 12345, 0);
	moved += syscall(SYS_pread64, file, bytes, 300, 0);
}

/* Before there are threads. */
ALONE static void children(void)
{
	for (int is_killed = 0; is_killed < 2; is_killed++) {
		if (fork() == 0) {
			child(is_killed);
			_exit(0);
		}
		wait(NULL);
	}
}

int main(void)
{
	pthread_t thread;
	FILE *stream;

	file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	moved += ftruncate(file, 40000);
	children();
	own_calls();
	pthread_create(&thread, NULL, ends, NULL);
	pthread_join(thread, NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, stays, NULL);
	pthread_barrier_wait(&barrier);
	moved += pread(file, bytes, 10000, 0);
	moved += pwrite(file, bytes, 15000, 0);
	unlink("data");
	stream = fopen("late", "w");
	unlink("late");
	fprintf(stream, "%062d", 1);
	return 0;
}
