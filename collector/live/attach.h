/* SPDX-License-Identifier: MIT */
/*
 * Finds the recording of a running process by its PID and takes a snapshot, without
 * stopping the process or needing its collector. Runs on: prof-analyze, which may be root
 * while the process is anybody's. Must not open what belongs to neither the caller nor
 * the process's user, follow a link, or mistake a later process with this PID for it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Takes a snapshot of the process. *ret_number: its number within the process. 0, or
 * -errno with one sentence in error. */
int attach_snapshot(int pid, const char *label, uint32_t *ret_number, char *error,
		    size_t error_size);

struct attach_files {
	int proc_fd;	   /* /proc/PID of exactly this process */
	int directory_fd;  /* of the run, in the spool */
	int fd;		   /* the segment file, for reading and writing */
	char name[64];	   /* its name in the directory */
	uint64_t token;	   /* from the directory's name */
	int32_t inner_pid; /* its pid in its own PID namespace */
};

/* 0, or -errno with one sentence in error. Call attach_close() in any case. */
int attach_open(struct attach_files *ret, int pid, char *error, size_t error_size);
void attach_close(struct attach_files *files);
