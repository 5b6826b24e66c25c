/* SPDX-License-Identifier: MIT */
/*
 * Who made the calls that a mode counts (common/segment_recording.h, CALL EDGES). Of a
 * call site the function is known whose code it is in, and with debug information the
 * innermost one inlined there that has hooks: that is the caller which a frame would
 * have. Must not be asked before all lanes are merged: then it is known who has hooks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/account/kept.h"
#include "collector/merge/merge.h"

/* inner: whose call it is; outer: in whose code, of what is inlined the host. Both
 * MERGE_NO_FUNCTION: not known, or it has no hooks, as the C library when it calls back.
 * is_copy: these are no calls, but copies inlined into outer. is_part: the compiler has
 * split that code from outer, whose rest may be inlined anywhere. */
struct caller {
	uint32_t inner, outer;
	int is_copy, is_part;
};

struct callers;

/* In the pool, like the hosts below. */
struct callers *callers_new(struct pool *pool, const struct merge *merge);
/* Frees what is not in the pool; NULL: nothing. */
void callers_done(struct callers *callers);

/* Of a mode, by its index in merge->modes. */
struct caller callers_of(const struct callers *callers, uint32_t mode);

/* Is it a caller in some mode? */
int callers_has(const struct callers *callers, uint32_t function);

/*
 * In whose code the calls of each path are: of copies that are inlined that of the path
 * above, of all others their function's own. Must not be asked before all lanes have been
 * noted.
 */

struct hosts;

/* Of the paths that there are now. */
struct hosts *hosts_new(struct pool *pool, struct merge *merge);

/* Notes a lane's cell; when that is done: finds who has the code of each path,
 * by what was counted where none of its calls has a frame. */
void hosts_note(struct hosts *hosts, const struct kept_cell *cell);
void hosts_find(struct hosts *hosts, const struct callers *callers);

/* A path that has been made since, when it is one. */
void hosts_add(struct hosts *hosts, uint32_t path, int is_copy);

/* The function that has the code, and whether it is not the path's own function. */
uint32_t hosts_of(const struct hosts *hosts, uint32_t path);
int hosts_is_copy(const struct hosts *hosts, uint32_t path);
