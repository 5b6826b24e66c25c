/* SPDX-License-Identifier: MIT */
/* Waits for what another thread writes: to a pipe that is read, or polled for and then
 * read, to one that has a name, to an eventfd, to the other end of a pair of sockets, and
 * by splice(); what another process has written is nobody's. */
// flags: -pthread -D_GNU_SOURCE
// expect-sql: SELECT p.name, s.waiter, s.kind, s.name, s.holder, COUNT(*) FROM stalls s
//     JOIN call_paths c ON c.path_id = s.waiter_path_id JOIN call_paths p
//     ON p.path_id = c.parent_path_id WHERE s.kind = 'call' AND p.name LIKE 'await_%'
//     AND s.waiter <> 'wait'
//     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2 => await_child|read|call|||1;
//     await_event|epoll_wait|call||send_event|1; await_fifo|read|call||send_by_name|1;
//     await_number|read|call||send_number|1; await_pair|recv|call||send_to_end|1;
//     await_pipe|read|call||send_byte|1; await_poll|poll|call||send_byte|1;
//     await_splice|splice|call||send_splice|1
// the writer is the other thread
// expect-sql: SELECT COUNT(*) FROM stalls s JOIN threads t ON t.lane_id = s.holder_lane_id
//     WHERE s.lane_id <> s.holder_lane_id AND s.kind = 'call' => 7
#include "asleep.h"
#include "truth.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum stage { START, PIPE, POLL, EVENT, NUMBER, PAIR, FIFO, SPLICE };

static int stage, waiter_tid, bytes[2], event, ends[2], named[2], more[2];

UNTRACED void reach(int next)
{
	__atomic_store_n(&stage, next, __ATOMIC_SEQ_CST);
}

/* It has nothing to sleep for but what is awaited, and shall do so for longer than
 * what is kept at least. */
UNTRACED void meet(int wanted)
{
	while (__atomic_load_n(&stage, __ATOMIC_SEQ_CST) < wanted ||
	       !is_asleep(waiter_tid))
		usleep(1000);
	usleep(5000);
}

UNTRACED void take_byte(int from)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		abort();
}

ALONE static void await_child(void)
{
	int pipes[2];

	if (pipe(pipes) != 0)
		abort();
	if (fork() == 0) {
		usleep(20000);
		_exit(write(pipes[1], "", 1) != 1);
	}
	take_byte(pipes[0]);
	wait(NULL);
}

ALONE static void await_pipe(void)
{
	take_byte(bytes[0]);
}

ALONE static void await_poll(void)
{
	struct pollfd file = {bytes[0], POLLIN, 0};

	if (poll(&file, 1, -1) != 1)
		abort();
	take_byte(bytes[0]);
}

ALONE static void await_event(void)
{
	struct epoll_event of = {.events = EPOLLIN}, seen;
	int set = epoll_create1(0);
	uint64_t count;

	if (epoll_ctl(set, EPOLL_CTL_ADD, event, &of) != 0 ||
	    epoll_wait(set, &seen, 1, -1) != 1 ||
	    read(event, &count, sizeof(count)) != sizeof(count) || count != 3)
		abort();
	close(set);
}

ALONE static void await_number(void)
{
	eventfd_t count;

	if (eventfd_read(event, &count) != 0 || count != 4)
		abort();
}

/* What the thread has sent itself is not what it waits for. */
ALONE static void await_pair(void)
{
	char byte;

	if (send(ends[0], "", 1, 0) != 1)
		abort();
	reach(PAIR);
	if (recv(ends[0], &byte, 1, 0) != 1)
		abort();
}

ALONE static void await_fifo(void)
{
	take_byte(named[0]);
}

ALONE static void await_splice(void)
{
	if (splice(bytes[0], NULL, more[1], NULL, 1, 0) != 1)
		abort();
	take_byte(more[0]);
}

static void *wait_for_all(void *unused)
{
	waiter_tid = gettid();
	reach(PIPE);
	await_pipe();
	reach(POLL);
	await_poll();
	reach(EVENT);
	await_event();
	reach(NUMBER);
	await_number();
	await_pair();
	reach(FIFO);
	await_fifo();
	reach(SPLICE);
	await_splice();
	return unused;
}

ALONE static void send_byte(void)
{
	if (write(bytes[1], "", 1) != 1)
		abort();
}

ALONE static void send_event(void)
{
	const uint64_t count = 3;

	if (write(event, &count, sizeof(count)) != sizeof(count))
		abort();
}

ALONE static void send_number(void)
{
	if (eventfd_write(event, 4) != 0)
		abort();
}

ALONE static void send_to_end(void)
{
	if (send(ends[1], "", 1, 0) != 1)
		abort();
}

ALONE static void send_by_name(void)
{
	if (write(named[1], "", 1) != 1)
		abort();
}

ALONE static void send_splice(void)
{
	if (write(more[1], "", 1) != 1 ||
	    splice(more[0], NULL, bytes[1], NULL, 1, 0) != 1)
		abort();
}

UNTRACED void open_named(void)
{
	char folder[] = "/tmp/pipe_waits.XXXXXX", path[64];

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/fifo", folder);
	if (mkfifo(path, 0600) != 0)
		abort();
	named[0] = open(path, O_RDWR);
	named[1] = open(path, O_WRONLY);
	if (named[0] < 0 || named[1] < 0)
		abort();
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	pthread_t waiter;

	await_child();
	event = eventfd(0, 0);
	open_named();
	if (event < 0 || pipe(bytes) != 0 || pipe(more) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 ||
	    pthread_create(&waiter, NULL, wait_for_all, NULL) != 0)
		abort();
	meet(PIPE);
	send_byte();
	meet(POLL);
	send_byte();
	meet(EVENT);
	send_event();
	meet(NUMBER);
	send_number();
	meet(PAIR);
	send_to_end();
	meet(FIFO);
	send_by_name();
	meet(SPLICE);
	send_splice();
	pthread_join(waiter, NULL);
	return 0;
}
