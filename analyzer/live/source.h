/* SPDX-License-Identifier: MIT */
/* What the user names, a PID or a run.db, as something that can be followed. */
#pragma once

#include <stdbool.h>

#include "collector/follow/follow.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"

/* *ret: owned by the caller (follow_close()). Else a sentence in error; STATUS_NOTHING:
 * nothing is being recorded there. */
enum exit_status source_open(const char *word, struct follow **ret, struct strbuf *error);

/* Is another run being recorded beside the file that is followed, which began later?
 * *ret: as above; a process is none. */
bool source_next(const char *word, const struct follow *old, struct follow **ret);

/* The process number that a word is; 0: it is none. */
int source_pid(const char *word);
