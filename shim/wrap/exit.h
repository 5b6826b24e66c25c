/* SPDX-License-Identifier: MIT */
/* The end of the process. */
#pragma once

/* Registers the last exit handler. first: it waits for the collector. The constructor. */
void exit_watch(int first, unsigned int wait_ms);
