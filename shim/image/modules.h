/* SPDX-License-Identifier: MIT */
/*
 * The process's table of mapped objects, for those addresses that were recorded. Runs on:
 * modules_begin(): the constructor; the rest of it is asked by the call tree
 * (lane/upcalls.h): traced threads, any context.
 */
#pragma once

/* From here on the addresses of new nodes are noted. */
void modules_begin(void);

/* After a dlclose: marks the objects that are no longer mapped, so that others may come
 * at their addresses. Any thread. */
void modules_unloaded(void);
