/* SPDX-License-Identifier: MIT */
/*
 * Rules about source files, of the start: lists the objects that they may
 * be about, and waits for the collector's answer. Runs on: the constructor, when the
 * process is recorded and its collector has been started.
 */
#pragma once

/* Puts the objects that call the hooks into the process's table, when there are such
 * rules. Before the collector is told to look. */
void rules_list_objects(void);

/* Waits until all of them are answered, SEGMENT_CONTROL_WAIT_MS at most. Those that are
 * not are counted; they are recorded until they are. */
void rules_wait(void);
