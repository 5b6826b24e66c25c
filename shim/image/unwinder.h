/* SPDX-License-Identifier: MIT */
/* libunwind, loaded privately. */
#pragma once

/* Loads it; after libc's own constructor, not before. Notes when it cannot be had. */
void unwinder_load(void);

/* Objects have been unloaded: forgets what it knows of code. Any thread and context. */
void unwinder_forget(void);
