/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a client of servers: keeps CONNECTIONS busy with requests, PIPELINE at
 *                once, for so many seconds, then as long again; prints for both parts how
 *                many requests there were and the CPU time of the server's threads.
 *                usage: requests SOCKET|PORT PID CONNECTIONS PIPELINE SECONDS REQUEST...
 *                The answer to a request has the length that it has the first time.
 * See also:      tests/bench/servers.py.
 */
#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define REQUESTS_MOST 16
#define BYTES_MOST 65536
#define LOOK_SECONDS 0.02

struct request {
	char text[512];			 /* of one */
	char *sent;			 /* as many as there are at once */
	size_t sent_bytes, answer_bytes; /* of all of them */
};

struct connection {
	int fd;
	unsigned int next; /* request that is being answered */
	size_t left;	   /* of the answer */
};

static struct request requests[REQUESTS_MOST];
static unsigned int request_count, pipeline;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int connected(const char *where)
{
	struct sockaddr_un local = {.sun_family = AF_UNIX};
	struct sockaddr_in port = {.sin_family = AF_INET,
				   .sin_port = htons((uint16_t)atoi(where)),
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int is_local = where[0] == '/', one = 1;
	int fd = socket(is_local ? AF_UNIX : AF_INET, SOCK_STREAM, 0);

	snprintf(local.sun_path, sizeof(local.sun_path), "%s", where);
	if (is_local ? connect(fd, (struct sockaddr *)&local, sizeof(local))
		     : connect(fd, (struct sockaddr *)&port, sizeof(port)))
		err(1, "%s", where);
	if (!is_local)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void send_all(int fd, const char *bytes, size_t size)
{
	if (write(fd, bytes, size) != (ssize_t)size)
		err(1, "cannot send");
}

/* Of one request, until nothing comes any more. */
static size_t answer_bytes(int fd, const char *text)
{
	static char answer[BYTES_MOST];
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	size_t size = 0;
	ssize_t got;

	send_all(fd, text, strlen(text));
	while (poll(&ready, 1, size ? 50 : 2000) > 0) {
		got = read(fd, answer, sizeof(answer));
		if (got <= 0)
			errx(1, "no answer to %s", text);
		size += (size_t)got;
	}
	return size;
}

/* \n in an argument is the two bytes that protocols end lines with. */
static void add(int fd, const char *argument)
{
	struct request *request = &requests[request_count++];
	size_t size = 0;

	for (; *argument && size + 2 < sizeof(request->text); argument++) {
		if (argument[0] == '\\' && argument[1] == 'n') {
			request->text[size++] = '\r';
			request->text[size++] = '\n';
			argument++;
		} else {
			request->text[size++] = *argument;
		}
	}
	request->sent = calloc(pipeline, size);
	request->sent_bytes = pipeline * size;
	for (unsigned int i = 0; i < pipeline; i++)
		memcpy(request->sent + i * size, request->text, size);
	request->answer_bytes = pipeline * answer_bytes(fd, request->text);
}

static void ask(struct connection *connection)
{
	const struct request *request = &requests[connection->next];

	connection->left = request->answer_bytes;
	send_all(connection->fd, request->sent, request->sent_bytes);
}

/* The server has sent something. Returns how many requests are done with it. */
static unsigned int take(struct connection *connection)
{
	static char answer[BYTES_MOST];
	ssize_t got = read(connection->fd, answer, sizeof(answer));

	if (got <= 0 || (size_t)got > connection->left)
		errx(1, "an answer of another length");
	connection->left -= (size_t)got;
	if (connection->left)
		return 0;
	connection->next = (connection->next + 1) % request_count;
	ask(connection);
	return pipeline;
}

static uint64_t cpu_ns(const char *pid)
{
	char path[512];
	uint64_t sum = 0, ns;
	struct dirent *thread;
	DIR *threads;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	threads = opendir(path);
	while (threads && (thread = readdir(threads))) {
		snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid,
			 thread->d_name);
		file = thread->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (file && fscanf(file, "%" SCNu64, &ns) == 1)
			sum += ns;
		if (file)
			fclose(file);
	}
	if (threads)
		closedir(threads);
	return sum;
}

/* Until the server has computed so long. */
static uint64_t serve(int all, const char *pid, double seconds)
{
	uint64_t end = cpu_ns(pid) + (uint64_t)(seconds * 1e9), count = 0;
	struct epoll_event events[64];
	double look = 0;

	for (;;) {
		int ready = epoll_wait(all, events, 64, 10000);

		if (ready <= 0)
			errx(1, "the server does not answer");
		for (int i = 0; i < ready; i++)
			count += take(events[i].data.ptr);
		if (now() < look)
			continue;
		if (cpu_ns(pid) >= end)
			return count;
		look = now() + LOOK_SECONDS;
	}
}

int main(int argc, char **argv)
{
	int connection_count, all = epoll_create1(0);
	struct connection *connections;
	uint64_t cpu, count;

	if (argc < 7)
		errx(2, "usage: requests SOCKET|PORT PID CONNECTIONS PIPELINE SECONDS "
			"REQUEST...");
	connection_count = atoi(argv[3]);
	pipeline = (unsigned int)atoi(argv[4]);
	connections = calloc((size_t)connection_count, sizeof(*connections));
	for (int i = 0; i < connection_count; i++)
		connections[i].fd = connected(argv[1]);
	for (int i = 6; i < argc && request_count < REQUESTS_MOST; i++)
		add(connections[0].fd, argv[i]);
	for (int i = 0; i < connection_count; i++) {
		struct epoll_event event = {EPOLLIN, {.ptr = &connections[i]}};

		epoll_ctl(all, EPOLL_CTL_ADD, connections[i].fd, &event);
		connections[i].next = (unsigned int)i % request_count;
		ask(&connections[i]);
	}
	for (int part = 0; part < 2; part++) {
		cpu = cpu_ns(argv[2]);
		count = serve(all, argv[2], atof(argv[5]));
		printf("%" PRIu64 " %" PRIu64 "\n", count, cpu_ns(argv[2]) - cpu);
	}
	return 0;
}
