/* SPDX-License-Identifier: MIT */
/* Waits for locks on parts of files, for message queues and for asynchronous I/O: free, held
 * by another process, interrupted, cancelled, and with arguments that they refuse. What they
 * answer is the output. Commands of fcntl that wait for nothing are no nodes. */
// flags: -pthread
// variants: once
// tolerate: repaired_frames
// expect-sql: SELECT p.name, n.name, SUM(n.calls) FROM call_paths n JOIN call_paths p ON p.path_id =
//     n.parent_path_id WHERE n.kind = 'wait' AND n.name IN ('fcntl', 'mq_send', 'mq_receive',
//     'aio_suspend', 'lio_listio') GROUP BY 1, 2 ORDER BY 1, 2 => asks|aio_suspend|3;
//     asks|lio_listio|2; cancelled|fcntl|1; file_locks|fcntl|6; queues|mq_receive|3;
//     queues|mq_send|3
// expect-sql: SELECT COUNT(*) FROM call_paths n JOIN call_paths p ON p.path_id = n.parent_path_id
//     WHERE n.name = 'fcntl' AND p.name = 'file_locks' AND n.blocked_ns > 0 => 1
#include "truth.h"
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int file;
static struct flock *volatile nowhere;

UNTRACED void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

UNTRACED void on_alarm(int signal)
{
	(void)signal;
}

/* Again and again: one may come before the call. 0: no more. */
UNTRACED void alarm_every(int us)
{
	const struct itimerval brief = {.it_value = {0, us}, .it_interval = {0, us}};

	setitimer(ITIMER_REAL, &brief, NULL);
}

UNTRACED struct flock lock_of(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
}

/* A process that has the lock until it is told to end. */
UNTRACED pid_t hold(int *ret_end)
{
	struct flock lock = lock_of(F_WRLCK);
	int ready[2], end[2];
	char byte;
	pid_t child;

	if (pipe(ready) || pipe(end))
		exit(3);
	child = fork();
	if (child == 0) {
		close(end[1]);
		fcntl(file, F_SETLK, &lock);
		(void)!write(ready[1], "r", 1);
		(void)!read(end[0], &byte, 1);
		usleep(30000);
		_exit(0);
	}
	(void)!read(ready[0], &byte, 1);
	close(ready[0]);
	close(ready[1]);
	close(end[0]);
	*ret_end = end[1];
	return child;
}

ALONE static void file_locks(void)
{
	struct flock lock = lock_of(F_WRLCK);
	pid_t child;
	int end, copy;

	say("free", fcntl(file, F_SETLKW, &lock));
	lock.l_type = F_UNLCK;
	say("given back", fcntl(file, F_SETLK, &lock));
	say("no file", fcntl(-1, F_SETLKW, &lock));
	say("no lock", fcntl(file, F_SETLKW, nowhere));
	child = hold(&end);
	lock = lock_of(F_WRLCK);
	say("held", fcntl(file, F_SETLK, &lock));
	alarm_every(20000);
	say("interrupted", fcntl(file, F_SETLKW, &lock));
	alarm_every(0);
	close(end);
	say("waited", fcntl64(file, F_SETLKW, &lock));
	waitpid(child, NULL, 0);
	lock.l_type = F_UNLCK;
	fcntl(file, F_SETLK, &lock);
	lock = lock_of(F_RDLCK);
	say("open file's", fcntl(file, F_OFD_SETLKW, &lock));
	lock.l_type = F_UNLCK;
	fcntl(file, F_OFD_SETLK, &lock);
	copy = fcntl(file, F_DUPFD_CLOEXEC, 100);
	say("copy", copy);
	say("flag", fcntl(copy, F_GETFD));
	say("mode", fcntl(copy, F_GETFL) & O_ACCMODE);
	say("append", fcntl(copy, F_SETFL, O_APPEND));
	say("no command", fcntl(copy, 4711));
	close(copy);
}

ALONE static void *cancelled(void *unused)
{
	struct flock lock = lock_of(F_WRLCK);

	fcntl(file, F_SETLKW, &lock);
	return unused;
}

UNTRACED void cancel(void)
{
	pthread_t thread;
	void *result = NULL;
	pid_t child;
	int end;

	child = hold(&end);
	pthread_create(&thread, NULL, cancelled, NULL);
	usleep(30000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	say("cancelled", result == PTHREAD_CANCELED);
	close(end);
	waitpid(child, NULL, 0);
}

ALONE static void queues(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
	struct timespec past = {0, 0};
	unsigned int priority = 0;
	char name[40], message[8] = "message";
	mqd_t queue;

	snprintf(name, sizeof(name), "/profshim-%d", (int)getpid());
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	say("queue", queue >= 0 ? 0 : -1);
	mq_unlink(name);
	say("send", mq_send(queue, message, 8, 3));
	say("timed send", mq_timedsend(queue, message, 8, 1, &past));
	say("no queue", mq_send(-1, message, 8, 3));
	say("receive", mq_receive(queue, message, 8, &priority));
	say("timed receive", mq_timedreceive(queue, message, 8, NULL, &past));
	say("nothing there", mq_timedreceive(queue, message, 8, NULL, &past));
	say("priority", priority);
	mq_close(queue);
}

ALONE static void asks(void)
{
	const struct timespec moment = {0, 1000000};
	char bytes[8];
	struct aiocb request = {.aio_fildes = file, .aio_buf = bytes, .aio_nbytes = 8};
	struct aiocb *list[] = {&request};
	const struct aiocb *const wanted[] = {&request};

	request.aio_lio_opcode = LIO_READ;
	request.aio_sigevent.sigev_notify = SIGEV_NONE;
	say("ask", aio_read(&request));
	say("suspend", aio_suspend(wanted, 1, NULL));
	say("read", aio_return(&request));
	say("list", lio_listio(LIO_WAIT, list, 1, NULL));
	say("read", aio_return(&request));
	say("list", lio_listio(LIO_NOWAIT, list, 1, NULL));
	say("suspend", aio_suspend(wanted, 1, NULL));
	say("read", aio_return(&request));
	request.aio_fildes = -1;
	say("no file", lio_listio(LIO_WAIT, list, 1, NULL));
	say("no mode", lio_listio(4711, list, 1, NULL));
	say("suspend nothing", aio_suspend(wanted, 0, &moment));
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	char name[] = "requests-XXXXXX";

	sigaction(SIGALRM, &action, NULL);
	file = mkstemp(name);
	unlink(name);
	(void)!write(file, "12345678", 8);
	file_locks();
	cancel();
	queues();
	asks();
	return 0;
}
