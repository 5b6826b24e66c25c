/* SPDX-License-Identifier: MIT */
/*
 * Liveness by /proc and pidfd, and exit statuses of processes that are not our children.
 * Must not wait or signal.
 */
#include "collector/processes/liveness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/processes/ticks.h"

/* From linux/pidfd.h of 6.15, which Debian 12 does not have. */
struct pidfd_exit_info {
	uint64_t mask;
	uint64_t cgroup_id;
	uint32_t pid, tgid, ppid;
	uint32_t ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
	int32_t exit_code;
};
#define PIDFD_EXIT_INFO_EXIT (1ull << 3)
#define PIDFD_EXIT_GET_INFO _IOWR(0xFF, 11, struct pidfd_exit_info)

_Static_assert(sizeof(struct pidfd_exit_info) == 64, "PIDFD_INFO_SIZE_VER0");

struct stat_facts {
	char state;
	int32_t parent;
	uint64_t start_time;
	int exit_code; /* as waitpid() says it; valid for zombies */
};

/* As liveness_read(), or -errno. */
static ssize_t read_text(int32_t pid, const char *name, char *text, size_t size)
{
	char path[96];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	close(fd);
	if (got <= 0)
		return -ESRCH;
	text[got] = 0;
	return got;
}

size_t liveness_read(int32_t pid, const char *name, char *text, size_t size)
{
	ssize_t got = read_text(pid, name, text, size);

	return got > 0 ? (size_t)got : 0;
}

DIR *liveness_tasks(int32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return opendir(path);
}

int32_t liveness_next_task(DIR *tasks)
{
	struct dirent *entry;

	while (tasks && (entry = readdir(tasks))) {
		int32_t tid = atoi(entry->d_name);

		if (tid > 0)
			return tid;
	}
	if (tasks)
		closedir(tasks);
	return 0;
}

/* Fields 3, 4, 22 and 52 of /proc/PID/stat. 0 or -errno. */
static int read_stat(int32_t pid, struct stat_facts *ret)
{
	char text[2048], *field;
	ssize_t size = read_text(pid, "stat", text, sizeof(text));

	if (size < 0)
		return (int)size;
	field = strrchr(text, ')'); /* the name may hold spaces and parentheses */
	if (!field || field[1] == 0 || field[2] == 0)
		return -EINVAL;
	field += 2;
	ret->state = *field;
	for (int i = 3; field; i++, field = strchr(field, ' ')) {
		if (*field == ' ')
			field++;
		if (i == 4)
			ret->parent = (int32_t)strtol(field, NULL, 10);
		else if (i == 22)
			ret->start_time = strtoull(field, NULL, 10);
		else if (i == 52)
			ret->exit_code = (int)strtol(field, NULL, 10);
	}
	return 0;
}

static int is_that_process(const struct stat_facts *facts, uint64_t start_time)
{
	return start_time == 0 || facts->start_time == start_time;
}

int liveness_proc_tells(void)
{
	return access("/proc/self/stat", R_OK) == 0;
}

int liveness_check(int32_t pid, uint64_t start_time)
{
	struct stat_facts facts = {0};
	int result;

	if (pid <= 0)
		return 0;
	result = read_stat(pid, &facts);
	/* without descriptors or /proc: not visible does not mean dead */
	if (result < 0 && result != -ESRCH &&
	    (result != -ENOENT || !liveness_proc_tells()))
		return kill(pid, 0) == 0 || errno != ESRCH;
	if (result < 0)
		return 0;
	return is_that_process(&facts, start_time) && facts.state != 'Z' &&
	       facts.state != 'X';
}

int32_t liveness_parent(int32_t pid)
{
	struct stat_facts facts = {0};

	return pid > 0 && read_stat(pid, &facts) == 0 ? facts.parent : 0;
}

/* Did it begin between the two moments? Field 22: clock ticks since boot, with sleep. */
static int began_between(uint64_t start_time, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t monotonic_ns = ticks_monotonic_ns(); /* first: the smaller one */
	uint64_t asleep_ns = ticks_clock_ns(CLOCK_BOOTTIME) - monotonic_ns;
	uint64_t tick_ns = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t began_ns = start_time * tick_ns;

	return began_ns + 2 * tick_ns >= from_ns + asleep_ns &&
	       began_ns <= to_ns + asleep_ns + 2 * tick_ns;
}

uint64_t liveness_start_time(int32_t pid, uint64_t from_ns, uint64_t to_ns)
{
	struct stat_facts facts = {0};

	if (pid <= 0 || read_stat(pid, &facts) < 0 ||
	    !began_between(facts.start_time, from_ns, to_ns))
		return 0;
	return facts.start_time;
}

int liveness_is_user(int32_t pid, const char *directory)
{
	size_t length = strlen(directory), room = 0;
	char path[64], *line = NULL;
	int found = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &room, maps) > 0) {
		const char *file = strchr(line, '/');

		found = file && strncmp(file, directory, length) == 0 &&
			file[length] == '/';
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

size_t liveness_find_users(const char *directory, uint64_t from_ns, int32_t *ret_pids,
			   size_t capacity)
{
	struct dirent *entry;
	size_t count = 0;
	DIR *proc = opendir("/proc");

	while (proc && count < capacity && (entry = readdir(proc))) {
		int32_t pid = (int32_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && pid != getpid() &&
		    liveness_start_time(pid, from_ns, INT64_MAX) &&
		    liveness_is_user(pid, directory))
			ret_pids[count++] = pid;
	}
	if (proc)
		closedir(proc);
	return count;
}

int liveness_open(int32_t pid, uint64_t start_time)
{
	struct stat_facts facts = {0};
	int pidfd, result;

	if (pid <= 0)
		return -ESRCH;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0 && errno == ESRCH)
		return -ESRCH;
	if (pidfd < 0) {
		result = -errno;
		return liveness_check(pid, start_time) ? result : -ESRCH;
	}
	/* asked after opening, so the descriptor is of the process that we look at */
	result = read_stat(pid, &facts);
	if (result < 0 ? liveness_proc_tells() : !is_that_process(&facts, start_time)) {
		close(pidfd);
		return -ESRCH;
	}
	return pidfd;
}

int liveness_inherited(int fd)
{
	/* signal 0 does nothing; EBADF: closed, or not a pidfd. Works without /proc. */
	if (syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0 &&
	    (errno == EBADF || errno == ENOSYS))
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static struct wait_status decode(int status)
{
	if (WIFSIGNALED(status))
		return (struct wait_status){1, 0, WTERMSIG(status)};
	return (struct wait_status){1, WEXITSTATUS(status), 0};
}

/* 1: *ret is filled in; 0: not yet known; -1: will never be known. */
static int ask_exit_status(int pidfd, int32_t pid, uint64_t start_time,
			   struct wait_status *ret)
{
	struct pidfd_exit_info info = {.mask = PIDFD_EXIT_INFO_EXIT};
	struct stat_facts facts = {0};

	if (read_stat(pid, &facts) == 0 && is_that_process(&facts, start_time) &&
	    facts.state == 'Z') {
		*ret = decode(facts.exit_code);
		return 1;
	}
	if (ioctl(pidfd, PIDFD_EXIT_GET_INFO, &info) < 0)
		return -1;
	if (!(info.mask & PIDFD_EXIT_INFO_EXIT))
		return 0;
	*ret = decode(info.exit_code);
	return 1;
}

struct wait_status liveness_exit_status(int pidfd, int32_t pid, uint64_t start_time)
{
	struct wait_status status = {0, 0, 0};
	struct timespec pause = {.tv_nsec = 500000};

	/* for a moment between zombie and reaped neither tells */
	for (int i = 0; i < 40; i++) {
		if (ask_exit_status(pidfd, pid, start_time, &status) != 0)
			break;
		nanosleep(&pause, NULL);
	}
	return status;
}

int liveness_can_be(int32_t pid, uint32_t user)
{
	unsigned int real = user, effective = user, saved = user;
	char text[4096], *line = NULL;

	if (liveness_read(pid, "status", text, sizeof(text)))
		line = strstr(text, "\nUid:");
	if (line)
		(void)sscanf(line, "\nUid: %u %u %u", &real, &effective, &saved);
	return real == user || effective == user || saved == user;
}
