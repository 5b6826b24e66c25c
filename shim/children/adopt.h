/* SPDX-License-Identifier: MIT */
/* The recording goes on in a forked child. Runs on: traced threads, any context. */
#pragma once

/* Makes `process` usable again in a forked child: own slot, new or that of a process that
 * has ended, nothing of the parent's written. Called by whoever finds ready == 0; leaves
 * the shim off when it fails. */
void adopt_process(void);
