/* SPDX-License-Identifier: MIT */
/*
 * In whose code the calls of each path are: of copies that are inlined that of the path
 * above, of all others their function's own. Must not be asked before all lanes have been
 * noted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/account/callers/callers.h"
#include "collector/account/kept.h"
#include "collector/merge/merge.h"

struct hosts;

/* Of the paths that there are now. */
struct hosts *hosts_new(struct merge *merge);
void hosts_free(struct hosts *hosts);

/* Notes a lane's cell; when that is done: finds who has the code of each path,
 * by what was counted where none of its calls has a frame. */
void hosts_note(struct hosts *hosts, const struct kept_cell *cell);
void hosts_find(struct hosts *hosts, const struct callers *callers);

/* A path that has been made since, when it is one. */
void hosts_add(struct hosts *hosts, uint32_t path, int is_copy);

/* The function that has the code, and whether it is not the path's own function. */
uint32_t hosts_of(const struct hosts *hosts, uint32_t path);
int hosts_is_copy(const struct hosts *hosts, uint32_t path);
