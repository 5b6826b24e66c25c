/* SPDX-License-Identifier: MIT */
/* A look-up that needs no libc. */
#include "shim/boot/boot.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char *variable_find(char **environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++) {
		if (!strncmp(*environment, name, length) && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}

/*
 * Job and rank from the variables that launchers set: Open MPI, PMIx, MVAPICH, the PMI
 * of MPICH and Intel MPI, Slurm. Runs on: the constructor. Must not believe that a value
 * is a number, or short.
 *
 * MPICH's launcher names no job. Its ranks talk to one process of each machine through
 * the descriptor PMI_FD, and the kernel knows which: that stands for the job. On several
 * machines PMI_PORT is used, which is the same for all.
 */

static const struct launcher {
	const char *rank, *count;
	const char *job, *job_too;
	const char *prefix;
} launchers[] = {
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_MCA_ess_base_jobid",
	 "PMIX_NAMESPACE", "ompi"},
	{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "PMI_JOBID", NULL, "mvapich"},
	{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "PMIX_NAMESPACE", NULL, "pmix"},
	{"PMI_RANK", "PMI_SIZE", "PMI_JOBID", "PMI_PORT", "pmi"},
	/* A batch script has a rank, too, but is no step. */
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", NULL, NULL, "slurm"},
};

static int read_number(const char *text, unsigned long most, unsigned long *ret)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	*ret = strtoul(text, &end, 10);
	return !*end && !errno && *ret <= most;
}

/* "slurm:JOB.STEP" of what srun began. */
static int read_slurm(char **environment, struct segment_job *ret)
{
	const char *job = variable_find(environment, "SLURM_JOB_ID");
	const char *step = variable_find(environment, "SLURM_STEP_ID");
	unsigned long number;

	/* the highest ones stand for batch scripts and the like */
	if (!job || !*job || !read_number(step, 0xfffffff0ul, &number))
		return 0;
	snprintf(ret->name, sizeof(ret->name), "slurm:%s.%s", job, step);
	return 1;
}

/* Who is at the other end of PMI_FD, or else began us. */
static void name_by_process(char **environment, struct segment_job *ret)
{
	unsigned long fd;
	struct ucred peer = {.pid = 0};
	socklen_t size = sizeof(peer);

	if (!read_number(variable_find(environment, "PMI_FD"), 1ul << 20, &fd) ||
	    getsockopt((int)fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    peer.pid <= 0)
		peer.pid = getppid();
	snprintf(ret->name, sizeof(ret->name), "process:%d", (int)peer.pid);
}

static void name_job(const struct launcher *launcher, char **environment,
		     struct segment_job *ret)
{
	const char *names[] = {launcher->job, launcher->job_too};

	for (int i = 0; i < 2; i++) {
		const char *job = names[i] ? variable_find(environment, names[i]) : NULL;

		if (!job || !*job)
			continue;
		snprintf(ret->name, sizeof(ret->name), "%s:%s", launcher->prefix, job);
		return;
	}
	if (!read_slurm(environment, ret) && launcher->job)
		name_by_process(environment, ret);
}

void job_read(char **environment, struct segment_job *ret)
{
	*ret = (struct segment_job){.rank = 0};
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		const struct launcher *launcher = &launchers[i];
		unsigned long rank, count;

		if (!read_number(variable_find(environment, launcher->rank), INT32_MAX,
				 &rank))
			continue;
		name_job(launcher, environment, ret);
		if (!ret->name[0])
			continue;
		ret->rank = (int32_t)rank;
		if (read_number(variable_find(environment, launcher->count), INT32_MAX,
				&count) &&
		    count > rank)
			ret->rank_count = (uint32_t)count;
		return;
	}
}
