/* SPDX-License-Identifier: MIT */
/* libunwind, loaded privately. */
#pragma once

/* Loads it; after libc's own constructor, not before. Notes when it cannot be had. */
void unwinder_load(void);

/* Forgets what it knows of unloaded code. Any thread. */
void unwinder_forget(void);
