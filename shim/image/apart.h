/* SPDX-License-Identifier: MIT */
/*
 * A process's part of its segment file, moved into a file of its own. Runs on: a traced
 * thread, the only one that records, before its process gives up privileges that others
 * who use the file keep. Must not leave the process without what it had when it fails.
 */
#pragma once

/* Is the file used by no other process of the run, living or dead? */
int apart_is_alone(void);

/* Copies the slots of this process into a new file of the run and maps that at the same
 * addresses; what else it had mapped of the old file is unmapped. So it can no longer
 * reach slots of others. 0, or -errno: -EBUSY where other threads record, and then it
 * shares the file as before. */
int apart_move(void);
