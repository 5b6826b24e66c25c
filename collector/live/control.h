/* SPDX-License-Identifier: MIT */
/*
 * Writes into a run's `control` (common/segment_control.h): what is asked of its
 * processes, and which functions rules fit. Runs on: prof-analyze; the collector's main
 * thread. Must not be held open for writing longer than it takes: others wait for it.
 */
#pragma once

#include <stdint.h>

#include "common/segment_control.h"

struct control {
	int fd;
	struct segment_control *shared; /* control_close() unmaps it */
	uint32_t table;			/* in force when it was opened, 0 or 1 */
};

/* Opens the file of a run, whose directory this is, and takes the lock, waiting for a
 * second at most. 0, -EAGAIN: another has it, -EPERM: it is no plain file of the
 * directory's owner, -EINVAL: it is damaged, or another -errno. Close after 0. */
int control_open(struct control *ret, int directory_fd, uint64_t token);

/* -EIO: the file was cut short meanwhile, nothing is as it was said; else 0. */
int control_close(struct control *control);

/* What is in force; page: the run's own facts, which are setting 0. */
void control_setting(const struct control *control, const struct segment_run *page,
		     struct segment_setting *ret);

/* Publishes a setting; its generations are filled in: rules_generation is that of what is
 * in force when the rules are the same. 0, or -errno: there is no space; -EINVAL: no
 * setting can follow, the file is damaged. */
int control_set(struct control *control, const struct segment_run *page,
		struct segment_setting *setting);

/* The table that is not in force, to be filled whole; NULL: there is no space for so
 * many. Then control_publish_table(). */
struct segment_table *control_begin_table(struct control *control, uint32_t answer_count,
					  uint32_t fitting_count);
void control_publish_table(struct control *control);
