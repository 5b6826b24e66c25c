/* SPDX-License-Identifier: MIT */
/* What calls of libc answer to arguments that are none, to signals and to cancellation is
 * the same with the recorder: results and errno are printed, and compared. */
// flags: -pthread -Wno-nonnull -Wno-stringop-overflow -Wno-stringop-overread
// variants: once
// tolerate: repaired_frames
// expect-sql: SELECT SUM(failed_calls) >= 60 FROM io => 1
// expect-sql: SELECT p.name, COUNT(DISTINCT c.name) FROM call_paths c JOIN call_paths p ON
//     p.path_id = c.parent_path_id WHERE p.name = 'waiter' AND c.kind = 'io' AND
//     c.unwound_count > 0 GROUP BY 1 => waiter|11
// expect-trust: lost_transfers => 0
#include "truth.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

static char bytes[4096];
static struct iovec part = {bytes, 10}, bad_part = {NULL, 10};
static struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
static struct mmsghdr messages[1];
static struct stat status;
static struct statx more;
static int pair[2], pipes[2], file, directory, listening;
static int none = -1;

static void *volatile bad = (void *)8; /* nothing is mapped there */

#define BAD ((void *)bad)

#define TELL(call)                                                                       \
	do {                                                                             \
		long result;                                                             \
                                                                                         \
		errno = 77;                                                              \
		result = (long)(call);                                                   \
		printf("%s = %ld, %d\n", #call, result, errno);                          \
	} while (0)

ALONE static void plain(void)
{
	TELL(read(none, bytes, 1));
	TELL(read(file, BAD, 1));
	TELL(read(file, bytes, 0));
	TELL(read(directory, bytes, 1));
	TELL(read(100000, bytes, 1));
	TELL(read(0x7fffffff, bytes, 1));
	TELL(write(none, bytes, 1));
	TELL(write(pipes[1], BAD, 1));
	TELL(write(pipes[0], bytes, 1));
	TELL(write(file, NULL, 0));
	TELL(pread(none, bytes, 1, 0));
	TELL(pread(file, bytes, 1, -1));
	TELL(pread(pipes[0], bytes, 1, 0));
	TELL(pread(file, BAD, 1, 0));
	TELL(pread64(file, bytes, 1, -5));
	TELL(pwrite(none, bytes, 1, 0));
	TELL(pwrite(file, bytes, 1, -1));
	TELL(pwrite64(pipes[1], bytes, 1, 1));
	TELL(readv(file, &part, -1));
	TELL(readv(file, NULL, 1));
	TELL(readv(file, BAD, 1));
	TELL(readv(none, &part, 1));
	TELL(writev(file, &part, 5000));
	TELL(writev(pipes[1], &bad_part, 1));
	TELL(preadv(file, &part, 1, -1));
	TELL(preadv64(none, &part, 1, 0));
	TELL(preadv2(file, &part, 1, -1, 0x7fff));
	TELL(preadv64v2(file, &part, -1, 0, 0));
	TELL(pwritev(file, &part, 1, -1));
	TELL(pwritev64(none, &part, 1, 0));
	TELL(pwritev2(none, &part, 1, 0, 0));
	TELL(pwritev64v2(file, &part, 1, 0, 0x7fff));
	TELL(lseek(none, 0, SEEK_SET));
	TELL(lseek(file, -1, SEEK_SET));
	TELL(lseek(pipes[0], 0, SEEK_CUR));
	TELL(lseek64(file, 5, 99));
	TELL(sendfile(none, file, NULL, 1));
	TELL(sendfile(file, pipes[0], NULL, 1));
	TELL(sendfile64(file, none, NULL, 1));
	TELL(copy_file_range(none, NULL, file, NULL, 1, 0));
	TELL(copy_file_range(file, NULL, file, NULL, 1, 99));
	TELL(splice(none, NULL, pipes[1], NULL, 1, 0));
	TELL(splice(file, NULL, file, NULL, 1, 0));
}

ALONE static void sockets(void)
{
	TELL(send(none, bytes, 1, 0));
	TELL(send(file, bytes, 1, 0));
	TELL(send(pair[0], BAD, 1, 0));
	TELL(recv(none, bytes, 1, 0));
	TELL(recv(pair[1], bytes, 1, MSG_DONTWAIT));
	TELL(sendto(none, bytes, 1, 0, NULL, 0));
	TELL(sendto(pair[0], bytes, 1, 0, BAD, 16));
	TELL(recvfrom(none, bytes, 1, 0, NULL, NULL));
	TELL(recvfrom(pair[1], bytes, 1, MSG_DONTWAIT, NULL, NULL));
	TELL(sendmsg(none, &message, 0));
	TELL(sendmsg(pair[0], NULL, 0));
	TELL(recvmsg(pair[1], BAD, MSG_DONTWAIT));
	TELL(recvmsg(pair[1], &message, MSG_DONTWAIT));
	TELL(sendmmsg(none, messages, 1, 0));
	TELL(sendmmsg(pair[0], BAD, 1, 0));
	TELL(recvmmsg(pair[1], messages, 1, MSG_DONTWAIT, NULL));
	TELL(recvmmsg(none, messages, 0, 0, NULL));
	TELL(accept(none, NULL, NULL));
	TELL(accept(file, NULL, NULL));
	TELL(accept4(pair[0], NULL, NULL, 0));
	TELL(accept4(listening, NULL, NULL, 12345));
	TELL(connect(none, NULL, 0));
	TELL(connect(pair[0], BAD, 16));
	TELL(connect(file, BAD, 16));
}

ALONE static void files(void)
{
	TELL(open("nothing/here", O_RDONLY));
	TELL(open(NULL, O_RDONLY));
	TELL(open(BAD, O_RDONLY));
	TELL(open("", O_RDWR));
	TELL(open(".", O_RDWR));
	TELL(open64("odd", O_RDWR | O_CREAT | O_EXCL, 0600));
	TELL(openat(none, "odd", O_RDONLY));
	TELL(openat(file, "odd", O_RDONLY));
	TELL(openat64(AT_FDCWD, NULL, O_RDONLY));
	TELL(creat("nothing/here", 0600));
	TELL(creat64(".", 0600));
	TELL(close(none));
	TELL(close(0x7fffffff));
	TELL(dup2(none, 50));
	TELL(dup2(file, -1));
	TELL(dup2(file, file) == file);
	TELL(dup3(file, file, 0));
	TELL(close_range(60, 50, 0));
	TELL(opendir("nothing"));
	TELL(opendir("odd"));
	TELL(closedir(NULL));
	TELL(fsync(none));
	TELL(fsync(pipes[0]));
	TELL(fdatasync(none));
	TELL(fdatasync(pair[0]));
	TELL(sync_file_range(none, 0, 0, 0));
	TELL(sync_file_range(file, -1, 0, 0));
	TELL(msync(bytes + 1, 1, 99));
	TELL(msync(BAD, 1, MS_SYNC));
	TELL(ftruncate(none, 0));
	TELL(ftruncate(file, -1));
	TELL(ftruncate64(pipes[0], 0));
}

ALONE static void paths(void)
{
	TELL(stat("nothing", &status));
	TELL(stat(NULL, &status));
	TELL(stat(".", BAD));
	TELL(stat64("nothing", BAD));
	TELL(lstat("", &status));
	TELL(lstat64(BAD, BAD));
	TELL(fstat(none, &status));
	TELL(fstat64(file, BAD));
	TELL(fstatat(none, "odd", &status, 0));
	TELL(fstatat64(file, "odd", BAD, 0));
	TELL(statx(none, "odd", 0, 0, &more));
	TELL(statx(AT_FDCWD, NULL, 0, 0, &more));
	TELL(unlink("nothing"));
	TELL(unlink(NULL));
	TELL(unlinkat(none, "odd", 0));
	TELL(rename("nothing", "other"));
	TELL(renameat(none, "a", none, "b"));
	TELL(renameat2(none, "a", none, "b", 99));
	TELL(mkdir(".", 0700));
	TELL(mkdirat(none, "a", 0700));
	TELL(rmdir("nothing"));
	TELL(rmdir(BAD));
	TELL(truncate("nothing", 0));
	TELL(truncate64("odd", -1));
}

static void handler(int signal)
{
	(void)signal;
}

/* A timer that strikes again and again ends each of these. */
ALONE static void interrupted(void)
{
	struct sigaction action = {.sa_handler = handler};
	struct itimerval soon = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
	struct iovec all = {bytes, 10};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	TELL(read(pipes[0], bytes, 1));
	TELL(readv(pipes[0], &all, 1));
	TELL(recv(pair[1], bytes, 1, 0));
	TELL(recvfrom(pair[1], bytes, 1, 0, NULL, NULL));
	TELL(recvmsg(pair[1], &message, 0));
	TELL(recvmmsg(pair[1], messages, 1, 0, NULL));
	TELL(accept(listening, NULL, NULL));
	TELL(accept4(listening, NULL, NULL, 0));
	TELL(splice(pipes[0], NULL, file, NULL, 1, 0));
	TELL(open("queue", O_WRONLY));
	setitimer(ITIMER_REAL, &never, NULL);
}

static volatile long answer;

ALONE static void waiter(long number)
{
	switch (number) {
	case 0:
		answer = read(pipes[0], bytes, 1);
		break;
	case 1:
		answer = readv(pipes[0], &part, 1);
		break;
	case 2:
		answer = recv(pair[1], bytes, 1, 0);
		break;
	case 3:
		answer = recvfrom(pair[1], bytes, 1, 0, NULL, NULL);
		break;
	case 4:
		answer = recvmsg(pair[1], &message, 0);
		break;
	case 5:
		answer = recvmmsg(pair[1], messages, 1, 0, NULL);
		break;
	case 6:
		answer = accept(listening, NULL, NULL);
		break;
	case 7:
		answer = accept4(listening, NULL, NULL, 0);
		break;
	case 8:
		answer = splice(pipes[0], NULL, file, NULL, 1, 0);
		break;
	case 9:
		answer = open("queue", O_WRONLY);
		break;
	case 10:
		answer = openat(AT_FDCWD, "queue", O_WRONLY);
		break;
	case 11: /* it is pending when the call comes */
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		while (!answer)
			usleep(1000);
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		answer = write(file, bytes, 1);
		break;
	}
}

static void cleanup(void *number)
{
	printf("cleaned %ld\n", (long)number);
}

static void *thread_of(void *number)
{
	pthread_cleanup_push(cleanup, number);
	waiter((long)number);
	pthread_cleanup_pop(0);
	return NULL;
}

ALONE static void cancelled(void)
{
	for (long i = 0; i < 12; i++) {
		pthread_t thread;
		void *result;

		answer = 0;
		pthread_create(&thread, NULL, thread_of, (void *)i);
		usleep(20000);
		pthread_cancel(thread);
		answer = 1;
		pthread_join(thread, &result);
		printf("%ld: %s\n", i,
		       result == PTHREAD_CANCELED ? "cancelled" : "ended");
	}
}

int main(void)
{
	struct sockaddr_storage address = {.ss_family = AF_UNIX};

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	signal(SIGPIPE, SIG_IGN);
	messages[0].msg_hdr = message;
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	pipe(pipes);
	listening = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(listening, (struct sockaddr *)&address, sizeof(address.ss_family));
	listen(listening, 4);
	file = open("odd", O_RDWR | O_CREAT, 0600);
	directory = open(".", O_RDONLY);
	mkfifo("queue", 0600);
	plain();
	sockets();
	files();
	paths();
	interrupted();
	cancelled();
	unlink("odd");
	unlink("queue");
	return 0;
}
