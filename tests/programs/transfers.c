/* SPDX-License-Identifier: MIT */
/* What calls of libc moved is known for each call, and agrees with what the kernel counts;
 * each file has what was moved through it: through descriptors that were closed and whose
 * numbers were used again, that were made by dup2 or inherited by a child. What the process
 * has read for the kernel includes what the recorder reads after a sleep (schedstat). */
// variants: once
// expect-sql: SELECT $rchar - SUM(bytes) BETWEEN 0 AND 1000 FROM io WHERE name IN ('read', 'readv', 'pread',
//     'preadv', 'sendfile', 'copy_file_range') AND operation = 'read' AND path_id IN (SELECT c.path_id FROM
//     call_paths c JOIN call_paths p ON p.path_id = c.parent_path_id WHERE p.name =
//     'plain') => 1
// expect-sql: SELECT SUM(bytes) = $wchar FROM io WHERE name IN ('write', 'writev',
//     'pwrite', 'pwritev', 'sendfile', 'copy_file_range') AND operation = 'write' AND path_id IN (SELECT c.path_id
//     FROM call_paths c JOIN call_paths p ON p.path_id = c.parent_path_id WHERE p.name =
//     'plain') => 1
// expect-sql: SELECT i.name, SUM(i.calls), SUM(bytes), SUM(small_calls),
//     SUM(sequential_calls), SUM(failed_calls), MAX(largest_bytes) FROM io i JOIN call_paths
//     c USING (path_id) JOIN call_paths p ON p.path_id = c.parent_path_id WHERE p.name =
//     'plain' GROUP BY 1 ORDER BY 1 => close|2|0|0|0|0|0;
//     copy_file_range|2|10000|0|1|0|5000; fdatasync|1|0|0|0|0|0; fstat|1|0|0|0|0|0;
//     fsync|2|0|0|0|0|0; ftruncate|1|0|0|0|0|0; open|2|0|0|0|0|0; pread|4|400|4|3|0|100;
//     preadv|2|300|2|1|0|200; pwrite|4|400|4|4|0|100; pwritev|2|300|2|0|0|200;
//     read|12|10240|10|9|1|1024; readv|1|300|1|0|0|300; sendfile|2|12000|0|0|0|6000;
//     write|10|81920|0|10|0|8192; writev|1|300|1|1|0|300
// expect-sql: SELECT i.name, SUM(i.calls), SUM(bytes), MIN(i.kind), MAX(i.kind), MIN(file) FROM
//     io i JOIN call_paths c USING (path_id) JOIN call_paths p ON p.path_id =
//     c.parent_path_id WHERE p.name = 'sockets' AND operation IN ('read', 'write')
//     GROUP BY 1 ORDER BY 1 => recv|1|100|socket|socket|unix;
//     recvfrom|1|200|socket|socket|unix; recvmmsg|1|600|socket|socket|unix;
//     recvmsg|1|300|socket|socket|unix; send|1|100|socket|socket|unix;
//     sendmmsg|1|600|socket|socket|unix; sendmsg|1|300|socket|socket|unix;
//     sendto|1|200|socket|socket|unix
// expect-sql: SELECT SUBSTR(file, -7), SUM(calls), SUM(bytes) FROM io WHERE name = 'write'
//     AND file LIKE '%/reuse__' GROUP BY 1 ORDER BY 1 => reuse_a|1|10; reuse_b|2|200;
//     reuse_c|3|2100
// expect-sql: SELECT SUM(i.calls), SUM(bytes) FROM io i JOIN call_paths c USING (path_id) JOIN
//     call_paths p ON p.path_id = c.parent_path_id WHERE p.name = 'child' AND i.name =
//     'write' AND file LIKE '%/reuse_c' => 1|1000
// expect-sql: SELECT kind, SUM(calls), SUM(failed_calls) FROM io WHERE file = '[paths]' AND
//     name IN ('open', 'stat', 'unlink', 'rename', 'mkdir', 'rmdir') GROUP BY name ORDER BY
//     name => paths|1|0; paths|1|1; paths|1|0; paths|1|0; paths|2|1; paths|5|0
// expect-sql: SELECT SUM(calls) = (SELECT SUM(calls) FROM io WHERE operation <> 'read' OR name
//     NOT IN ('sendfile', 'copy_file_range')) FROM call_paths WHERE kind = 'io' => 1
// expect-trust: unseen_read_bytes => $counts
// expect-trust: unseen_write_bytes => 0
// expect-trust: uncompared_processes => 0
// expect-trust: lost_transfers => 0
// expect-trust: lost_transfer_bytes => 0
#include "truth.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEW (O_RDWR | O_CREAT | O_TRUNC)

static char bytes[8192];
static struct iovec parts[2] = {{bytes, 100}, {bytes, 200}};
static volatile long moved; /* so that no result is unused */

struct counts {
	long rchar, wchar, own;
};

/* By system calls of its own, which the kernel counts, too. */
UNTRACED struct counts kernel_counts(void)
{
	struct counts counts = {0, 0, 0};
	char text[512];
	int file = (int)syscall(SYS_open, "/proc/self/io", O_RDONLY);

	counts.own = syscall(SYS_read, file, text, sizeof(text) - 1);
	text[counts.own] = 0;
	syscall(SYS_close, file);
	sscanf(text, "rchar: %ld\nwchar: %ld", &counts.rchar, &counts.wchar);
	return counts;
}

UNTRACED void at_offsets(int file)
{
	for (int i = 0; i < 4; i++)
		moved += pwrite(file, bytes, 100, i * 100);
	moved += pwritev(file, parts, 1, 40000);
	moved += pwritev2(file, parts + 1, 1, 30000, 0);
	for (int i = 0; i < 4; i++)
		moved += pread(file, bytes, 100, 50000 + i * 100);
	moved += preadv(file, parts, 1, 10000);
	moved += preadv2(file, parts + 1, 1, 10100, 0);
}

ALONE static void plain(void)
{
	int file = open("data", NEW, 0600), copy = open("copy", NEW, 0600);
	off64_t from = 0, to = 0;
	struct stat status;

	for (int i = 0; i < 10; i++)
		moved += write(file, bytes, 8192);
	moved += writev(file, parts, 2);
	moved += fsync(file) + fsync(file) + fdatasync(file);
	lseek(file, 0, SEEK_SET);
	for (int i = 0; i < 10; i++)
		moved += read(file, bytes, 1024);
	lseek(file, 100, SEEK_CUR);
	moved += readv(file, parts, 2);
	lseek(file, 0, SEEK_END);
	moved += read(file, bytes, 1024) + read(-1, bytes, 1024);
	at_offsets(file);
	moved += copy_file_range(file, &from, copy, &to, 5000, 0);
	lseek(copy, 7000, SEEK_SET);
	from = 0;
	moved += sendfile(copy, file, &from, 6000);
	moved += ftruncate(copy, 100) + fstat(copy, &status);
	close(file);
	close(copy);
}

ALONE static void sockets(void)
{
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	struct mmsghdr messages[2] = {{.msg_hdr = message}, {.msg_hdr = message}};
	int pair[2];

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	moved += send(pair[0], bytes, 100, 0);
	moved += recv(pair[1], bytes, 8000, 0);
	moved += sendto(pair[0], bytes, 200, 0, NULL, 0);
	moved += recvfrom(pair[1], bytes, 8000, 0, NULL, NULL);
	moved += sendmsg(pair[0], &message, 0);
	moved += recvmsg(pair[1], &message, 0);
	moved += sendmmsg(pair[0], messages, 2, 0);
	moved += recvmmsg(pair[1], messages, 2, 0, NULL);
	close(pair[0]);
	close(pair[1]);
}

ALONE static void child(int file)
{
	moved += write(file, bytes, 1000);
}

/* One number is that of three files, one after the other. */
ALONE static void reuse(void)
{
	int file = open("reuse_a", NEW, 0600), again, third;

	moved += write(file, bytes, 10);
	close(file);
	again = open("reuse_b", NEW, 0600);
	moved += write(again, bytes, 100);
	third = open("reuse_c", NEW, 0600);
	moved += write(third, bytes, 100);
	moved += again == file;
	dup2(third, again);
	moved += write(again, bytes, 1000);
	if (fork() == 0) {
		child(third);
		_exit(0);
	}
	wait(NULL);
	dup2(open("reuse_b", O_WRONLY), third);
	moved += write(third, bytes, 100);
}

ALONE static void paths(void)
{
	struct stat status;

	moved += mkdir("folder", 0700) + stat("folder", &status);
	moved += stat("nothing", &status) + open("nothing", O_RDONLY);
	moved += rename("folder", "other") + rmdir("other");
	moved += unlink("data") + unlink("copy") + unlink("reuse_a") + unlink("reuse_b") +
		 unlink("reuse_c");
}

int main(void)
{
	struct counts before = kernel_counts(), after;

	plain();
	after = kernel_counts();
	sockets();
	reuse();
	paths();
	fprintf(stderr, "truth: rchar=%ld wchar=%ld counts=%ld\n",
		after.rchar - before.rchar - before.own, after.wchar - before.wchar,
		before.own + after.own);
	return 0;
}
