/* SPDX-License-Identifier: MIT */
/*
 * What this is:  runs a program and makes system calls of the shim in it fail, chosen by
 *                name and by number: the Nth, or all from the Nth on.
 *                usage: fail_calls NAMES ERROR FIRST COUNT REPORT [NAME=VALUE]... PROGRAM
 *                [ARGUMENT]...
 * Runs on:       tests; Linux 5.5 or later (seccomp user notification).
 * Must not:      touch a call that the program would make without the shim.
 * See also:      faults.py, which counts first and then fails each call in turn
 *
 * Every call of a listed name stops and asks us; we let it go on or answer it with an
 * error. Whose call it is: from the first one that the shim's constructor makes (it looks
 * for the clock source) to the one by which the program says that its main has begun
 * (it opens WINDOW_END), all of the thread's calls are the shim's or made on its behalf by
 * libc; later those whose instruction lies in libprofshim.so. What the collector calls
 * is nobody's: it has left by execve.
 *
 * NAMES: "all" or names separated by commas; ERROR: a number, or 0 for the error that
 * suits the call. FIRST counts from 1; COUNT 0: all of them. REPORT gets the names of the
 * calls that failed and the number of those that could have. FIRST 0: the calls fail for
 * everybody, as on a kernel that lacks them, and nothing is reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define WINDOW_BEGIN "/sys/devices/system/clocksource/"
#define WINDOW_END "/profshim-window-ends"
#define LEFT_LIMIT 256

struct call {
	const char *name;
	int number, error;
	int argument; /* which argument must have this value; -1: none */
	unsigned int value;
	enum {
		ANY_CALLER,
		OWN_CALLER,   /* libc ends the program when it fails */
		BY_NAME_ONLY, /* not part of "all": cannot fail on any kernel */
	} which;
};

static const struct call calls[] = {
	{"open", SYS_open, EMFILE, -1, 0, ANY_CALLER},
	{"openat", SYS_openat, EMFILE, -1, 0, ANY_CALLER},
	{"mmap", SYS_mmap, ENOMEM, -1, 0, ANY_CALLER},
	{"populate", SYS_madvise, EFAULT, 2, 23, ANY_CALLER},
	{"wipe_on_fork", SYS_madvise, EINVAL, 2, 18, ANY_CALLER},
	{"random", SYS_madvise, EINVAL, 2, 1, ANY_CALLER},
	{"mremap", SYS_mremap, ENOMEM, -1, 0, ANY_CALLER},
	{"mprotect", SYS_mprotect, ENOMEM, -1, 0, ANY_CALLER},
	{"ftruncate", SYS_ftruncate, EFBIG, -1, 0, ANY_CALLER},
	{"fallocate", SYS_fallocate, ENOSPC, -1, 0, ANY_CALLER},
	{"mkdir", SYS_mkdir, ENOSPC, -1, 0, ANY_CALLER},
	{"clone", SYS_clone, EAGAIN, -1, 0, ANY_CALLER},
	{"execve", SYS_execve, EPERM, -1, 0, ANY_CALLER},
	{"read", SYS_read, EIO, -1, 0, ANY_CALLER},
	{"readlink", SYS_readlink, EACCES, -1, 0, ANY_CALLER},
	{"prlimit64", SYS_prlimit64, EPERM, -1, 0, ANY_CALLER},
	{"getrandom", SYS_getrandom, ENOSYS, -1, 0, ANY_CALLER},
	{"pidfd_open", SYS_pidfd_open, ENOSYS, -1, 0, ANY_CALLER},
	{"close_range", SYS_close_range, ENOSYS, -1, 0, ANY_CALLER},
	{"getcwd", SYS_getcwd, ENOENT, -1, 0, ANY_CALLER},
	{"uname", SYS_uname, EPERM, -1, 0, ANY_CALLER},
	{"access", SYS_access, EACCES, -1, 0, ANY_CALLER},
	{"lseek", SYS_lseek, ESPIPE, -1, 0, ANY_CALLER},
	{"prctl", SYS_prctl, EPERM, -1, 0, ANY_CALLER},
	{"getrusage", SYS_getrusage, EPERM, -1, 0, ANY_CALLER},
	{"clock_gettime", SYS_clock_gettime, EPERM, -1, 0, OWN_CALLER},
	{"nanosleep", SYS_nanosleep, EPERM, -1, 0, OWN_CALLER},
	{"perf_event_open", SYS_perf_event_open, EACCES, -1, 0, OWN_CALLER},
	{"futex", SYS_futex, ENOSYS, -1, 0, OWN_CALLER},
	{"newfstatat", SYS_newfstatat, EACCES, -1, 0, ANY_CALLER},
	{"fcntl", SYS_fcntl, EBADF, -1, 0, ANY_CALLER},
	{"dup", SYS_dup, EMFILE, -1, 0, ANY_CALLER},
	{"setsid", SYS_setsid, EPERM, -1, 0, ANY_CALLER},
	{"chdir", SYS_chdir, EACCES, -1, 0, ANY_CALLER},
	{"kill", SYS_kill, EPERM, -1, 0, ANY_CALLER},
	{"brk", SYS_brk, ENOMEM, -1, 0, BY_NAME_ONLY},
	{"munmap", SYS_munmap, ENOMEM, -1, 0, BY_NAME_ONLY},
	{"rt_sigprocmask", SYS_rt_sigprocmask, EPERM, -1, 0, BY_NAME_ONLY},
	{"gettid", SYS_gettid, ENOSYS, -1, 0, BY_NAME_ONLY},
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static struct {
	unsigned char chosen[CALLS];
	int error;
	unsigned long first, count;
	unsigned long seen;
	enum { BEFORE, WITHIN, AFTER } window;
	unsigned long long own_start, own_end; /* libprofshim.so in the program */
	int left[LEFT_LIMIT], left_count;
	FILE *report;
} state;

static void fail(const char *what)
{
	perror(what);
	exit(125);
}

static void choose(const char *names)
{
	char *copy = strdup(names), *name;

	if (!strcmp(names, "all")) {
		for (size_t i = 0; i < CALLS; i++)
			state.chosen[i] = calls[i].which != BY_NAME_ONLY;
		return;
	}
	for (name = strtok(copy, ","); name; name = strtok(NULL, ",")) {
		size_t i = 0;

		while (i < CALLS && strcmp(calls[i].name, name) != 0)
			i++;
		if (i == CALLS) {
			fprintf(stderr, "fail_calls: %s is not in the list\n", name);
			exit(125);
		}
		state.chosen[i] = 1;
	}
	free(copy);
}

static int set_filter(struct sock_filter *code, size_t count, unsigned long flags)
{
	struct sock_fprog program = {(unsigned short)count, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* A kernel that lacks the calls: they fail for everybody, the collector too. */
static void refuse_everybody(void)
{
	const unsigned number = offsetof(struct seccomp_data, nr);
	const unsigned arguments = offsetof(struct seccomp_data, args);
	struct sock_filter code[5 * CALLS + 2];
	size_t at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number);
	for (size_t i = 0; i < CALLS; i++) {
		const struct call *call = &calls[i];
		int any = call->argument < 0;
		unsigned error = (unsigned)(state.error ? state.error : call->error);
		struct sock_filter refuse[] = {
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call->number, 0, 4),
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
				 any ? number
				     : arguments + 8u * (unsigned)call->argument),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
				 any ? (unsigned)call->number : call->value, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
		};

		if (!state.chosen[i])
			continue;
		memcpy(&code[at], refuse, sizeof(refuse));
		at += sizeof(refuse) / sizeof(refuse[0]);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (set_filter(code, at, 0) < 0)
		fail("seccomp");
}

/* openat and execve are always asked about: they begin and end the window. */
static int install_filter(void)
{
	struct sock_filter code[2 * CALLS + 8];
	size_t at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < CALLS; i++) {
		if (!state.chosen[i] && calls[i].number != SYS_openat &&
		    calls[i].number != SYS_execve && calls[i].number != SYS_open)
			continue;
		code[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							  SECCOMP_RET_USER_NOTIF);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return set_filter(code, at, SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

static void send_descriptor(int socket, int descriptor)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec vector = {&byte, 1};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
	if (sendmsg(socket, &message, 0) != 1)
		fail("sendmsg");
}

static int receive_descriptor(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec vector = {&byte, 1};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	int descriptor;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
		exit(125);
	memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return descriptor;
}

static void find_own_range(int pid)
{
	char path[64], line[4096];
	unsigned long long start, end;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "libprofshim") ||
		    sscanf(line, "%llx-%llx", &start, &end) != 2)
			continue;
		if (!state.own_start)
			state.own_start = start;
		state.own_end = end;
	}
	if (maps)
		fclose(maps);
}

static int names_path(int pid, unsigned long long address, const char *start)
{
	char text[64] = "";
	struct iovec local = {text, sizeof(text) - 1}, remote = {(void *)address, 32};

	/* a path near the end of its page is cut; ours are longer than what is asked */
	return process_vm_readv(pid, &local, 1, &remote, 1, 0) > 0 &&
	       !strncmp(text, start, strlen(start) < 32 ? strlen(start) : 32);
}

static void move_window(const struct seccomp_notif *call)
{
	const struct seccomp_data *data = &call->data;
	unsigned long long path = data->args[data->nr == SYS_openat];

	if (data->nr != SYS_openat && data->nr != SYS_open)
		return;
	if (state.window == BEFORE && names_path((int)call->pid, path, WINDOW_BEGIN)) {
		state.window = WITHIN;
		find_own_range((int)call->pid);
	} else if (names_path((int)call->pid, path, WINDOW_END)) {
		state.window = AFTER;
	}
}

static int has_left(int pid)
{
	for (int i = 0; i < state.left_count; i++)
		if (state.left[i] == pid)
			return 1;
	return 0;
}

/* The entry that the call matches, NULL when it is none of the shim's. */
static const struct call *match(const struct seccomp_notif *asked)
{
	const struct seccomp_data *data = &asked->data;
	int is_own = data->instruction_pointer >= state.own_start &&
		     data->instruction_pointer < state.own_end;

	if (state.window == BEFORE || has_left((int)asked->pid) ||
	    (state.window == AFTER && !is_own))
		return NULL;
	for (size_t i = 0; i < CALLS; i++) {
		const struct call *call = &calls[i];

		if (state.chosen[i] && call->number == data->nr &&
		    (is_own || call->which != OWN_CALLER) &&
		    (call->argument < 0 ||
		     (unsigned int)data->args[call->argument] == call->value))
			return call;
	}
	return NULL;
}

/* The error to answer with, 0: let it go on. */
static int decide(const struct seccomp_notif *asked)
{
	const struct call *call;

	move_window(asked);
	call = match(asked);
	if (asked->data.nr == SYS_execve && state.left_count < LEFT_LIMIT &&
	    state.window != BEFORE)
		state.left[state.left_count++] = (int)asked->pid;
	if (!call)
		return 0;
	state.seen++;
	if (state.seen < state.first ||
	    (state.count && state.seen >= state.first + state.count))
		return 0;
	fprintf(state.report, "%s ", call->name);
	return state.error ? state.error : call->error;
}

/* Answers one question. 0 when nobody is left who could ask. */
static int answer(int listener, int may_fail)
{
	struct pollfd waiting = {.fd = listener, .events = POLLIN};
	struct seccomp_notif asked;
	struct seccomp_notif_resp reply = {0};

	if (poll(&waiting, 1, may_fail ? 20 : -1) <= 0)
		return 1;
	if (!(waiting.revents & POLLIN))
		return 0;
	memset(&asked, 0, sizeof(asked));
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
		return 1;
	reply.id = asked.id;
	reply.error = may_fail ? -decide(&asked) : 0;
	if (!reply.error)
		reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
	return 1;
}

static int is_dead(int pid, int *status)
{
	return waitpid(pid, status, WNOHANG) == pid;
}

/* What the program left behind goes on asking: somebody stays to answer. */
static void stay_behind(int listener)
{
	if (fork())
		return;
	for (int i = 0; i < 256; i++)
		if (i != listener)
			close(i);
	while (answer(listener, 0))
		;
	_exit(0);
}

static void end_like(int status)
{
	struct rlimit none = {0, 0};

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	exit(125);
}

/* In the child. Sends the listener to the parent, which answers from then on. */
static void run(char **arguments, int socket)
{
	while (*arguments && strchr(*arguments, '='))
		putenv(*arguments++);
	if (socket < 0) {
		refuse_everybody();
	} else {
		int listener = install_filter();

		if (listener < 0)
			fail("seccomp");
		send_descriptor(socket, listener);
	}
	execv(*arguments, arguments);
	_exit(126);
}

int main(int argc, char **argv)
{
	int sockets[2], pid, listener, status;

	if (argc < 7) {
		fprintf(stderr, "usage: see the source\n");
		return 125;
	}
	choose(argv[1]);
	state.error = atoi(argv[2]);
	state.first = strtoul(argv[3], NULL, 10);
	state.count = strtoul(argv[4], NULL, 10);
	state.report = fopen(argv[5], "we");
	if (!state.report)
		fail(argv[5]);
	if (state.first == 0)
		run(argv + 6, -1);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		fail("socketpair");
	pid = fork();
	if (pid == 0)
		run(argv + 6, sockets[1]);
	close(sockets[1]);
	listener = receive_descriptor(sockets[0]);
	while (!is_dead(pid, &status))
		answer(listener, 1);
	fprintf(state.report, "\n%lu\n", state.seen);
	fclose(state.report);
	stay_behind(listener);
	end_like(status);
}
