/* SPDX-License-Identifier: MIT */
/* A component map, read from its file. Must not wait, or read without bound. */
#pragma once

#include "common/base/strbuf.h"
#include "common/json/component_map.h"

/* Adds what the file has; path empty: there is none. 0, or -errno with a sentence in
 * error. */
int map_file_read(const char *path, struct component_map *map, struct strbuf *error);
