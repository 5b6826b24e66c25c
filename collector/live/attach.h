/* SPDX-License-Identifier: MIT */
/*
 * Finds the recording of a running process by its PID, and takes a snapshot of it,
 * without stopping the process or needing its collector. Runs on: prof-analyze, which may
 * be root and the process anybody's. Must not open what the caller or the process's user
 * does not own, follow a link, or take a PID's next owner for the process.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Takes a snapshot of the process. *ret_number: which one of the process it is. 0, or
 * -errno with one sentence in error. */
int attach_snapshot(int pid, const char *label, uint32_t *ret_number, char *error,
		    size_t error_size);

struct attach_files {
	int proc_fd;	   /* /proc/PID, of this very process */
	int directory_fd;  /* of the run, in the spool */
	int fd;		   /* the segment file, for reading and writing */
	char name[64];	   /* its name in the directory */
	uint64_t token;	   /* as the directory is called */
	int32_t inner_pid; /* the process's number in its own PID namespace */
};

/* 0, or -errno with one sentence in error. attach_close() in any case. */
int attach_open(struct attach_files *ret, int pid, char *error, size_t error_size);
void attach_close(struct attach_files *files);
