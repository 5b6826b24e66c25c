/* SPDX-License-Identifier: MIT */
/*
 * Finds ancestors and other processes that run our executable, in /proc. Must not wait.
 */
#include "collector/begin.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "collector/processes/liveness.h"

/* Test suites run several programs for each processor, each with a collector. */
#define MOST_COLLECTORS (64u + 4u * (unsigned)get_nprocs())
#define MOST_ANCESTORS 64

struct executable {
	dev_t device;
	ino_t inode;
};

static int executable_of(int proc_fd, const char *pid, struct executable *ret)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "%.32s/exe", pid);
	if (fstatat(proc_fd, path, &status, 0) < 0)
		return 0;
	*ret = (struct executable){status.st_dev, status.st_ino};
	return 1;
}

static int is_collector(int proc_fd, const char *pid, const struct executable *own)
{
	struct executable other;

	return executable_of(proc_fd, pid, &other) && other.device == own->device &&
	       other.inode == own->inode;
}

static int is_below_collector(int proc_fd, int32_t pid, const struct executable *own)
{
	for (int i = 0; i < MOST_ANCESTORS && pid > 1; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", (int)pid);
		if (pid != getpid() && is_collector(proc_fd, name, own))
			return 1;
		pid = liveness_parent(pid);
	}
	return 0;
}

/* Is it a collector's confined child, which reads names
 * (collector/symbols/confined.h)? */
static int is_helper(int proc_fd, const char *pid, const struct executable *own)
{
	char parent[16];

	snprintf(parent, sizeof(parent), "%d", (int)liveness_parent(atoi(pid)));
	return is_collector(proc_fd, parent, own);
}

/* Counts the user's collectors, including ourselves, up to limit. */
static unsigned count_collectors(DIR *proc, const struct executable *own, unsigned limit)
{
	const struct dirent *entry;
	unsigned count = 0;

	while (count < limit && (entry = readdir(proc))) {
		struct stat status;

		if (isdigit((unsigned char)entry->d_name[0]) &&
		    fstatat(dirfd(proc), entry->d_name, &status, 0) == 0 &&
		    status.st_uid == geteuid())
			count += is_collector(dirfd(proc), entry->d_name, own) &&
				 !is_helper(dirfd(proc), entry->d_name, own);
	}
	return count;
}

static int is_crowded(DIR *proc, const struct executable *own)
{
	unsigned most = MOST_COLLECTORS;
	struct sysinfo machine;

	/* the kernel's count of all processes and threads costs nothing */
	if (sysinfo(&machine) == 0 && machine.procs <= most)
		return 0;
	return count_collectors(proc, own, most + 1) > most;
}

int crowd_refuses(int32_t first_pid, char *reason, size_t reason_size)
{
	DIR *proc = opendir("/proc");
	struct executable own;
	int refuses = 0;

	if (proc && executable_of(dirfd(proc), "self", &own)) {
		refuses = 1;
		if (is_below_collector(dirfd(proc), getpid(), &own) ||
		    is_below_collector(dirfd(proc), first_pid, &own))
			snprintf(reason, reason_size,
				 "the program runs below another collector");
		else if (is_crowded(proc, &own))
			snprintf(reason, reason_size,
				 "this user has %u collectors at work already",
				 MOST_COLLECTORS);
		else
			refuses = 0;
	}
	if (proc)
		closedir(proc);
	return refuses;
}
