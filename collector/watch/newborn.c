/* SPDX-License-Identifier: MIT */
/*
 * Children that were forked a moment ago and have no slot yet. Must not look through
 * /proc more often than at the end of a run.
 */
#include "collector/watch/newborn.h"

#include <errno.h>
#include <unistd.h>

static int is_known(const struct watch *watch, int32_t pid)
{
	for (size_t i = 0; i < watch->process_count; i++) {
		if (watch->processes[i].death.pid == pid &&
		    !table_is_over(&watch->processes[i]))
			return 1;
	}
	return 0;
}

/* A newborn is one until it has a slot, is dead, or is another program by exec. */
void newborn_drop(struct watch *watch)
{
	size_t kept = 0;

	for (size_t i = 0; i < watch->newborn_count; i++) {
		struct watch_newborn newborn = watch->newborns[i];

		if (!is_known(watch, newborn.pid) &&
		    !table_is_dead(newborn.pidfd, newborn.pid, 0) &&
		    liveness_is_user(newborn.pid, watch->rundir->path))
			watch->newborns[kept++] = newborn;
		else if (newborn.pidfd >= 0)
			close(newborn.pidfd);
	}
	watch->newborn_count = kept;
}

size_t newborn_find(struct watch *watch)
{
	int32_t pids[WATCH_NEWBORN_LIMIT];
	size_t count =
		liveness_find_users(watch->rundir->path, watch->run->start_monotonic_ns,
				    pids, WATCH_NEWBORN_LIMIT);

	for (size_t i = 0; i < count && watch->newborn_count < WATCH_NEWBORN_LIMIT; i++) {
		struct watch_newborn *newborn = &watch->newborns[watch->newborn_count];

		newborn->pid = pids[i];
		newborn->pidfd = liveness_open(pids[i], 0);
		if (newborn->pidfd == -ESRCH)
			continue;
		if (newborn->pidfd >= 0)
			bell_ring_when_dead(&watch->bell, newborn->pidfd);
		watch->newborn_count++;
	}
	return watch->newborn_count;
}
